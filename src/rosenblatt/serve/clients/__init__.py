"""How a client of the service makes requests, and how they are sent."""
