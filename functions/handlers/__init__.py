"""One module per Lambda, named after its job: parse, call one use case, translate the answer."""
