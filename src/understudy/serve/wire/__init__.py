"""What goes over the wire: messages read strictly, written once, under names that tell nothing."""
