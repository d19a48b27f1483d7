#version 330 core
// A solid, moved to its place.
uniform mat4 u_view;

in vec3 in_vertex;
in vec3 in_normal;

in vec3 in_middle;
in vec3 in_color;
in float in_kind;
in float in_index;

out vec3 v_local;
out vec3 v_place;
out vec3 v_normal;
flat out vec3 v_color;
flat out int v_kind;
flat out int v_index;

void main() {
    v_local = in_vertex;
    v_place = in_middle + in_vertex;
    v_normal = in_normal;
    v_color = in_color;
    v_kind = int(in_kind);
    v_index = int(in_index);
    gl_Position = u_view * vec4(v_place, 1.0);
}
