"""Head to head with other optimizers: the same problems, designs and seeds, each system in a process of its own."""
