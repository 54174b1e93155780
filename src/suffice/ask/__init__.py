"""One ask: fit the models, freeze the acquisition, maximize it, report how well that went."""
