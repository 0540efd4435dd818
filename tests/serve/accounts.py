"""The password of the accounts that tests sign in with."""

PASSWORD = "four quiet random words"
