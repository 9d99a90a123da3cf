"""The version of the distribution, as pyproject.toml has it: reading the metadata would triple the start-up time."""

VERSION = "0.1.0"
