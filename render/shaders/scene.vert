#version 330 core
// One instance of a unit mesh: scaled by its size, turned, moved, and lit at its corners.
uniform mat4 u_view;
uniform mat4 u_sun_view;

in vec3 in_vertex;
in vec3 in_normal;

in vec3 in_position;
in mat3 in_rotation;
in vec3 in_size;
in vec3 in_color;
in vec3 in_surface;
in vec2 in_repeat;

out vec3 v_shade;
out vec3 v_sun;
out vec3 v_shadow;
out vec2 v_uv;
flat out float v_layer;

const vec3 TO_SUN = vec3(0.321, 0.766, -0.557);
const vec3 SUN = vec3(1.0, 0.905, 0.672);

// Ambient light measured on faces along the axes, blended by the squared normal.
vec3 ambient(vec3 n) {
    vec3 s = n * n;
    vec3 x = n.x > 0.0 ? vec3(0.45, 0.61, 0.77) : vec3(0.41, 0.53, 0.64);
    vec3 y = n.y > 0.0 ? vec3(0.47, 0.65, 0.94) : vec3(0.35, 0.40, 0.43);
    vec3 z = n.z > 0.0 ? vec3(0.41, 0.54, 0.65) : vec3(0.47, 0.63, 0.82);
    return s.x * x + s.y * y + s.z * z;
}

// Metres from the left and lower edge of a face as seen from outside, divided by the face or the repeat.
vec2 on_face(vec3 p, vec3 normal) {
    vec3 n = abs(normal);
    vec4 face;
    if (n.y >= n.x && n.y >= n.z) face = vec4(p.xz, in_size.xz);
    else if (n.x > n.z) face = vec4(normal.x > 0.0 ? p.z : -p.z, p.y, in_size.zy);
    else face = vec4(normal.z > 0.0 ? -p.x : p.x, p.y, in_size.xy);
    vec2 period = mix(in_repeat, face.zw, lessThanEqual(in_repeat, vec2(0.0)));
    return (face.xy + 0.5 * face.zw) / period;
}

void main() {
    vec3 local = in_vertex * in_size;
    vec3 local_normal = normalize(in_normal / in_size);
    vec3 world = in_position + in_rotation * local;
    vec3 n = in_rotation * local_normal;
    v_shade = in_color * (in_surface.y * ambient(n) + in_surface.z);
    v_sun = in_color * in_surface.y * SUN * max(0.0, dot(n, TO_SUN));
    v_shadow = (u_sun_view * vec4(world, 1.0)).xyz * 0.5 + 0.5;
    v_uv = on_face(local, local_normal);
    v_layer = in_surface.x;
    gl_Position = u_view * vec4(world, 1.0);
}
