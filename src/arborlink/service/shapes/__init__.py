"""What goes in and out of the service: one data class for each shape of JSON."""
