#version 330 core
// Surfaces under one large lamp. Everything is in linear light; the frame buffer stores it as sRGB.
const int CUBE = 0, SPHERE = 1, CYLINDER = 2;
const int TABLE = 0, MACHINE = 1, RUBBER = 2, METAL = 3;

uniform vec3 u_eye;
uniform vec3 u_things[9];        // their middles: cubes first, then spheres, then cylinders
uniform ivec3 u_ends;            // where cubes, spheres and cylinders end in that list
uniform vec3 u_halves[3];        // half the size of each shape: across, up, across
uniform vec2 u_turn;             // cosine and sine of the cubes' angle
uniform vec3 u_machine;          // the machine's middle
uniform vec3 u_machine_half;     // half its size
uniform vec3 u_table;            // the table's colour
uniform vec3 u_glow;             // what the machine's top emits

in vec3 v_local;
in vec3 v_place;
in vec3 v_normal;
flat in vec3 v_color;
flat in int v_kind;
flat in int v_index;

out vec4 color;

const vec3 LAMP = vec3(-0.46, 0.80, -0.385);   // direction, of length 1
const vec3 WINDOW = vec3(0.816, 0.429, -0.388);
const float SOFT = 0.16;                       // half the lamp's width at a distance of 1
const float LAMP_LIGHT = 0.74, SKY_LIGHT = 0.54;
const vec3 GLASS = vec3(0.11, 0.16, 0.23);     // the machine's top while it is dark

// How much of the lamp is seen past a body whose outline the ray passes at a signed distance.
float past(float outside, float along) {
    float width = SOFT * along + 0.02;
    return smoothstep(-width, width, outside);
}

// The same past a box around 0, for a ray from a place into a direction.
float past_box(vec3 from, vec3 way, vec3 half_size) {
    vec3 near = (-sign(way) * half_size - from) / way, far = (sign(way) * half_size - from) / way;
    float enter = max(max(near.x, near.z), max(near.y, 0.0)), leave = min(min(far.x, far.z), far.y);
    return far.y <= 0.0 ? 1.0 : past(0.5 * (enter - leave), min(enter, far.y));
}

float past_sphere(vec3 from, float radius) {
    float along = -dot(from, LAMP);
    return along <= 0.0 ? 1.0 : past(length(from + along * LAMP) - radius, along);
}

float past_cylinder(vec3 from, vec3 half_size) {
    float enter = max(0.0, (-half_size.y - from.y) / LAMP.y), leave = (half_size.y - from.y) / LAMP.y;
    float along = clamp(-dot(from.xz, LAMP.xz) / dot(LAMP.xz, LAMP.xz), enter, max(enter, leave));
    return leave <= 0.0 ? 1.0 : past(length(from.xz + along * LAMP.xz) - half_size.x, along);
}

vec3 in_cube(vec3 v) {
    return vec3(u_turn.x * v.x - u_turn.y * v.z, v.y, u_turn.x * v.z + u_turn.y * v.x);
}

// How much of the lamp a place sees past the other things.
float lamp_seen() {
    float lamp = 1.0;
    for (int i = 0; i < u_ends.x; i++) {
        float seen = past_box(in_cube(v_place - u_things[i]), in_cube(LAMP), u_halves[CUBE]);
        lamp *= i == v_index ? 1.0 : seen;
    }
    for (int i = u_ends.x; i < u_ends.y; i++)
        lamp *= i == v_index ? 1.0 : past_sphere(v_place - u_things[i], u_halves[SPHERE].x);
    for (int i = u_ends.y; i < u_ends.z; i++)
        lamp *= i == v_index ? 1.0 : past_cylinder(v_place - u_things[i], u_halves[CYLINDER]);
    return lamp;
}

// How much of the sky a place sees past the other things, each taken for a ball.
float sky_seen(vec3 n) {
    const float RADIUS_2 = 0.22;
    float sky = 1.0;
    for (int i = 0; i < u_ends.z; i++) {
        vec3 to = u_things[i] - v_place;
        float square = dot(to, to);
        float hidden = max(0.0, dot(n, to)) * inversesqrt(square) * min(1.0, RADIUS_2 / square);
        sky *= i == v_index ? 1.0 : 1.0 - 0.85 * hidden;
    }
    return sky;
}

// Distance on the level from the machine's outline, drawn in by a margin; negative inside.
float beside_machine(float margin) {
    vec2 over = abs((v_place - u_machine).xz) - u_machine_half.xz + margin;
    return length(max(over, 0.0)) + min(max(over.x, over.y), 0.0);
}

// x: how much of the lamp, y: how much of the sky a place sees.
vec2 light(vec3 n) {
    vec2 seen = vec2(lamp_seen(), sky_seen(n));
    float height = v_place.y / (2.0 * u_machine_half.y);
    if (v_kind == MACHINE || height > 0.98) return seen;
    seen.x *= past_box(v_place - u_machine, LAMP, u_machine_half);
    seen.y *= 1.0 - 0.45 * exp(-2.2 * max(0.0, beside_machine(0.0))) * (1.0 - height);
    return seen;
}

// What a polished thing mirrors: a bright ceiling, a window at the side, and the ground around its foot.
vec3 mirrored(vec3 way, float height, vec3 ground) {
    if (way.y < 0.0) {
        float off = length(v_local.xz + way.xz * height / max(0.1, -way.y));
        float level = mix(0.7, 1.0, smoothstep(0.0, 0.2, -way.y));
        return level * mix(vec3(0.12), 1.5 * ground, smoothstep(0.45, 1.2, off));
    }
    float window = smoothstep(0.90, 0.93, dot(way, WINDOW));
    return vec3(mix(0.10, 0.62, smoothstep(0.0, 0.9, way.y)) + 0.9 * window);
}

// The lamp in a polished thing: a spot on a sphere and on edges, a line on a cylinder's side, a streak across
// what is flat.
float gleam(vec3 n, vec3 way, vec3 look) {
    float spot = dot(way, LAMP);
    if (v_index >= u_ends.x && v_index < u_ends.y) return smoothstep(0.955, 0.985, spot);
    float top = smoothstep(0.95, 0.99, n.y), off = dot(v_local.xz, vec2(0.87, 0.5)) / 0.13;
    float streak = 0.62 * top * exp(-off * off);
    if (v_index >= u_ends.y) {
        float across = dot(normalize(n.xz), normalize((LAMP - look).xz));
        float line = 0.7 * (1.0 - top) * exp(50.0 * (min(across, 1.0) - 1.0));
        return max(max(0.8 * smoothstep(0.955, 0.985, spot), streak), line);
    }
    off = (dot(v_local, vec3(0.87, 0.6, 0.5)) + 0.086) / 0.11;
    float band = 0.3 * (1.0 - top) * exp(-off * off);
    return max(max(0.6 * smoothstep(0.86, 0.98, spot), streak), band);
}

vec3 thing_color(vec3 n, vec3 look, vec2 seen) {
    bool on_machine = v_place.y - v_local.y > 2.0 * u_machine_half.y + 0.2;
    float height = v_place.y - (on_machine ? 2.0 * u_machine_half.y : 0.0);
    vec3 ground = on_machine ? vec3(0.14) + 0.7 * u_glow : 0.6 * u_table;
    float below = 0.5 - 0.5 * n.y, open = seen.y * (1.0 - 0.6 * below * exp(-4.0 * height));
    float lamp = LAMP_LIGHT * max(0.0, dot(n, LAMP)) * seen.x;
    vec3 dull = v_color * (open * mix(vec3(SKY_LIGHT), ground, below) + lamp);
    if (v_kind == RUBBER) return dull;
    vec3 way = reflect(look, n);
    vec3 mirror = mirrored(way, height, ground) * mix(seen.y, 1.0, 0.3) * mix(0.6, 1.0, seen.x);
    vec3 tint = mix(v_color, vec3(0.6), 0.5 * pow(1.0 - max(0.0, -dot(n, look)), 5.0));
    return mix(0.3 * dull + tint * mirror, vec3(1.0), 0.85 * gleam(n, way, look) * mix(0.4, 1.0, seen.x));
}

vec3 machine_color(vec3 n, vec2 seen) {
    vec3 lit = vec3(SKY_LIGHT * seen.y * (0.7 + 0.3 * n.y) + LAMP_LIGHT * seen.x * max(0.0, dot(n, LAMP)));
    float top = n.y > 0.9 ? smoothstep(0.02, -0.02, beside_machine(0.16)) : 0.0;
    vec2 over = abs(v_local.xy) - vec2(u_machine_half.x - 0.3, 0.07);
    float front = n.z < -0.9 ? smoothstep(0.02, 0.0, max(over.x, over.y)) : 0.0;
    float glass = max(top, front);
    return mix(v_color, GLASS, glass) * lit + glass * u_glow * (0.75 + 0.25 * seen.y);
}

vec3 table_color(vec2 seen) {
    float halo = exp(-1.6 * max(0.0, beside_machine(0.0))) * (0.4 + 0.6 * seen.y);
    return u_table * (SKY_LIGHT * seen.y + LAMP_LIGHT * LAMP.y * seen.x + 0.5 * u_glow * halo);
}

void main() {
    vec3 n = normalize(v_normal), look = normalize(v_place - u_eye);
    vec2 seen = light(n);
    if (v_kind == TABLE) color = vec4(table_color(seen), 1.0);
    else if (v_kind == MACHINE) color = vec4(machine_color(n, seen), 1.0);
    else color = vec4(thing_color(n, look, seen), 1.0);
}
