"""The command `planetwars`: one short module per command. Heavy imports wait until a command needs them."""
