"""The command `planetwars`: one short module a command. Heavy imports wait until a command needs them."""
