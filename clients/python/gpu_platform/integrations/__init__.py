"""Training frameworks as jobs: each module imports its framework, and nothing else imports these modules."""
