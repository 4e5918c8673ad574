"""From a look at the workspace to the shapes that are answered; nothing here writes."""
