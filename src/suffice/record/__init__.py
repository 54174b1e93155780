"""The record of a study: settings, trials, events, the history they add up to, and the file that holds them."""
