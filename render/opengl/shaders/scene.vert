#version 330 core
// One instance of a unit mesh: scaled by its size, turned, moved, and lit at its corners.
uniform mat4 u_view;
uniform mat4 u_sun_view;
uniform vec3 u_sun;
uniform float u_texel;
uniform float u_stripes;

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
// Where the sun only grazes a face, its shadows are looked up a little before it: else the map's texels show.
const float GRAZING = 0.5, BEFORE_TEXELS = 1.5;

// Ambient light from a sky that is smooth all round, a quadratic of the normal, fitted as a whole to what the
// recorded frames show: planks, blocks and walls on the axes, the fence's round rails in between, the floor.
vec3 ambient(vec3 n) {
    const vec3 RIGHT = vec3(0.476, 0.602, 0.729), LEFT = vec3(0.413, 0.525, 0.662);
    const vec3 UP = vec3(0.408, 0.573, 0.834), DOWN = vec3(0.352, 0.339, 0.288);
    const vec3 FRONT = vec3(0.409, 0.518, 0.627), BACK = vec3(0.467, 0.625, 0.783);
    const vec3 SLANT = vec3(-0.031, -0.042, -0.042);
    vec3 s = n * n;
    vec3 even = s.x * (RIGHT + LEFT) + s.y * (UP + DOWN) + s.z * (FRONT + BACK);
    vec3 odd = n.x * (RIGHT - LEFT) + n.y * (UP - DOWN) + n.z * (FRONT - BACK);
    return 0.5 * (even + odd) + n.y * (n.z - n.x) * SLANT;
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
    v_sun = in_color * in_surface.y * u_sun * max(0.0, dot(n, TO_SUN));
    bool striped = min(in_size.x, min(in_size.y, in_size.z)) < u_stripes;
    float grazing = striped ? clamp(1.0 - dot(n, TO_SUN) / GRAZING, 0.0, 1.0) : 0.0;
    vec3 before = world + BEFORE_TEXELS * u_texel * grazing * n;
    v_shadow = (u_sun_view * vec4(before, 1.0)).xyz * 0.5 + 0.5;
    v_uv = on_face(local, local_normal);
    v_layer = in_surface.x;
    gl_Position = u_view * vec4(world, 1.0);
}
