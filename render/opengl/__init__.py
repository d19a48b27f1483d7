"""The default renderer: OpenGL through moderngl, without a window."""
