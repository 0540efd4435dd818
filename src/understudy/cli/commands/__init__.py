"""Commands: the options and the help of each. The work is in the module of the same name in `cli`, imported when it runs."""
