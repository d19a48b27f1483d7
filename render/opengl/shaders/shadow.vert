#version 330 core
// Depth as the sun sees it, with the biases of Unity's render pipeline: casters are pushed away from the
// sun, and shrink where they face away from it, both in texels of the shadow map.
uniform mat4 u_sun_view;
uniform float u_texel;

in vec3 in_vertex;
in vec3 in_normal;

in vec3 in_position;
in mat3 in_rotation;
in vec3 in_size;

const vec3 TO_SUN = vec3(0.321, 0.766, -0.557);
const float DEPTH_BIAS = 1.0, NORMAL_BIAS = 1.0;

void main() {
    vec3 world = in_position + in_rotation * (in_vertex * in_size);
    vec3 n = in_rotation * normalize(in_normal / in_size);
    float away = 1.0 - clamp(dot(n, TO_SUN), 0.0, 1.0);
    world -= u_texel * (DEPTH_BIAS * TO_SUN + NORMAL_BIAS * away * n);
    gl_Position = u_sun_view * vec4(world, 1.0);
}
