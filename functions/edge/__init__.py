"""The HTTP edge: who asks, what they ask for, and how the answer or refusal is worded.

    identity   who asks, from the claims of their token, and what they may do
    bodies     request bodies as strict JSON
    problems   refusals as RFC 9457 problem details
    routing    one route: verb, path, right, what it says in the API document
    api        answers the events of API Gateway for a set of routes
    fields, times   what several routes share
    agents, calls, lines, document   the routes

Only functions that answer HTTP requests import it: pydantic costs them a tenth of a second at a cold start.
"""
