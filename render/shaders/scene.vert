#version 330 core
// One instance of a unit mesh: scaled by its size, turned, moved.
uniform mat4 u_view;

in vec3 in_vertex;
in vec3 in_normal;

in vec3 in_position;
in mat3 in_rotation;
in vec3 in_size;
in vec4 in_color;
in float in_material;

out vec3 v_world;
out vec3 v_normal;
out vec3 v_local;
flat out vec3 v_local_normal;
flat out vec3 v_size;
flat out vec4 v_color;
flat out int v_material;

void main() {
    v_local = in_vertex * in_size;
    v_local_normal = normalize(in_normal / in_size);
    v_world = in_position + in_rotation * v_local;
    v_normal = in_rotation * v_local_normal;
    v_size = in_size;
    v_color = in_color;
    v_material = int(in_material + 0.5);
    gl_Position = u_view * vec4(v_world, 1.0);
}
