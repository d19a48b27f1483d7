#version 330 core
// Depth as the sun sees it.
uniform mat4 u_view;

in vec3 in_vertex;

in vec3 in_position;
in mat3 in_rotation;
in vec3 in_size;

void main() {
    gl_Position = u_view * vec4(in_position + in_rotation * (in_vertex * in_size), 1.0);
}
