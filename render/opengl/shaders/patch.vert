#version 330 core
// A square of the sun's view around a caster, wider by a margin in metres.
uniform mat4 u_sun_view;
uniform float u_margin;

in vec2 in_corner;

in vec3 in_position;
in vec3 in_size;

void main() {
    float per_metre = length(vec3(u_sun_view[0].x, u_sun_view[1].x, u_sun_view[2].x));
    vec2 middle = (u_sun_view * vec4(in_position, 1.0)).xy;
    gl_Position = vec4(middle + in_corner * per_metre * (0.5 * length(in_size) + u_margin), 0.0, 1.0);
}
