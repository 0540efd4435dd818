"""The public interface: what `import understudy as us` offers, as functions and objects that show themselves."""
