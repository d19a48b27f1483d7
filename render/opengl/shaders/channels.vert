#version 330 core
// The same place on the screen as in scene.vert, and how far away that is.
uniform mat4 u_view;
uniform vec3 u_forward;
uniform vec3 u_eye;
uniform bool u_parallel;

in vec3 in_vertex;

in vec3 in_position;
in mat3 in_rotation;
in vec3 in_size;
in vec2 in_label;

out float v_depth;
out vec3 v_place;
out vec3 v_ray;
flat out vec2 v_label;

void main() {
    vec3 local = in_vertex * in_size;
    vec3 world = in_position + in_rotation * local;
    v_depth = dot(u_forward, world - u_eye);
    v_place = in_vertex;
    v_ray = (u_parallel ? u_forward : world - u_eye) * in_rotation / in_size;
    v_label = in_label;
    gl_Position = u_view * vec4(world, 1.0);
}
