"""The batch: N games with their agents, opponents, observations and masks, stepped in one compiled call."""
