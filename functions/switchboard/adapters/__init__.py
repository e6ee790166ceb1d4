"""What reaches out of the process: the only modules that know DynamoDB and SQS."""
