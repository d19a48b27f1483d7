#version 330 core
// Displayed = sRGB(albedo x (ambient(normal) + sun x shadow) + emission), all in linear light.
uniform mat4 u_sun_view;
uniform sampler2D u_shadow_static;
uniform sampler2D u_shadow_moving;

in vec3 v_world;
in vec3 v_normal;
in vec3 v_local;
flat in vec3 v_local_normal;
flat in vec3 v_size;
flat in vec4 v_color;
flat in int v_material;

out vec4 color;

const vec3 TO_SUN = vec3(0.321, 0.766, -0.557);
const vec3 SUN = vec3(1.0, 0.905, 0.672);

vec3 to_linear(vec3 c) {
    return mix(c / 12.92, pow((c + 0.055) / 1.055, vec3(2.4)), step(0.04045, c));
}

vec3 to_srgb(vec3 c) {
    c = clamp(c, 0.0, 1.0);
    return mix(c * 12.92, 1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, c));
}

float random(vec2 cell) {
    return fract(sin(dot(cell, vec2(12.9898, 78.233))) * 43758.5453);
}

float noise(vec2 p) {
    vec2 cell = floor(p), f = fract(p);
    f = f * f * (3.0 - 2.0 * f);
    float low = mix(random(cell), random(cell + vec2(1, 0)), f.x);
    float high = mix(random(cell + vec2(0, 1)), random(cell + vec2(1, 1)), f.x);
    return mix(low, high, f.y);
}

float clouds(vec2 p) {
    return 0.5 * noise(p) + 0.3 * noise(2.1 * p + 7.0) + 0.2 * noise(4.3 * p + 3.0);
}

// Ambient light measured on faces along the axes, blended by the squared normal.
vec3 ambient(vec3 n) {
    vec3 s = n * n;
    vec3 x = n.x > 0.0 ? vec3(0.45, 0.61, 0.77) : vec3(0.41, 0.53, 0.64);
    vec3 y = n.y > 0.0 ? vec3(0.40, 0.64, 1.00) : vec3(0.30, 0.30, 0.30);
    vec3 z = n.z > 0.0 ? vec3(0.41, 0.54, 0.65) : vec3(0.47, 0.63, 0.82);
    return s.x * x + s.y * y + s.z * z;
}

float sunlit(vec3 n) {
    vec3 p = (u_sun_view * vec4(v_world + 0.04 * n, 1.0)).xyz * 0.5 + 0.5;
    if (any(lessThan(p, vec3(0.0))) || any(greaterThan(p, vec3(1.0)))) return 1.0;
    float nearest = min(texture(u_shadow_static, p.xy).r, texture(u_shadow_moving, p.xy).r);
    return p.z - 0.0008 <= nearest ? 1.0 : 0.0;
}

// Coordinates in metres on the face that a fragment belongs to: along and up.
vec2 on_face() {
    vec3 n = abs(v_local_normal);
    vec3 p = v_local + 0.5 * v_size;
    if (n.y >= n.x && n.y >= n.z) return p.xz;
    return n.x > n.z ? p.zy : p.xy;
}

float joint(float distance, float width) {
    float blur = max(fwidth(distance), 1e-4);
    // Far away a joint is thinner than a pixel and fades, as a mipmapped texture's does.
    return (1.0 - smoothstep(width, width + blur, distance)) * min(1.0, 2.0 * width / blur);
}

vec3 bricks() {
    vec2 p = on_face() / vec2(0.70, 0.34);
    p.x += 0.5 * mod(floor(p.y), 2.0);
    vec2 edge = (0.5 - abs(fract(p) - 0.5)) * vec2(0.70, 0.34);
    float dark = max(joint(edge.x, 0.008), joint(edge.y, 0.005));
    return vec3(mix(0.97, 0.02, dark));
}

// Stone slabs in courses, repeating every 8.4 m as the original's texture does.
vec3 slabs() {
    vec2 p = vec2(mod(v_world.x + 1.0, 8.4), mod(v_world.z + 1.0, 8.4));
    float row = floor(p.y / 1.05);
    float width = mix(1.4, 2.8, step(0.5, random(vec2(row, 1.0))));
    float along = mod(p.x + 8.4 * random(vec2(row, 2.0)), 8.4);
    vec2 edge = min(mod(vec2(along, p.y), vec2(width, 1.05)),
                    vec2(width, 1.05) - mod(vec2(along, p.y), vec2(width, 1.05)));
    float tone = 1.02 + 0.20 * random(vec2(row, floor(along / width))) + 0.06 * (clouds(v_world.xz * 3.0) - 0.5);
    float dark = joint(min(edge.x, edge.y), 0.015);
    return to_linear(vec3(174.0, 140.0, 86.0) / 255.0) * tone * mix(1.0, 0.45, dark);
}

vec3 planks() {
    float along = abs(v_local_normal.x) > abs(v_local_normal.z) ? v_world.z : v_world.x;
    float gap = abs(v_size.y - 6.06) < 0.01 ? 0.5 - abs(fract(along) - 0.5) : 1.0;
    return to_linear(vec3(203.0, 210.0, 212.0) / 255.0) * mix(1.0, 0.03, joint(gap, 0.015));
}

// A darker square panel in a frame of an eighth of each face.
vec3 panels() {
    vec3 n = abs(v_local_normal);
    vec3 p = abs(v_local) / v_size;
    vec2 q = n.x > 0.5 ? p.yz : (n.y > 0.5 ? p.xz : p.xy);
    float grey = max(q.x, q.y) < 0.375 ? 124.0 : 145.0;
    return to_linear(vec3(grey / 255.0));
}

void main() {
    vec3 n = normalize(v_normal);
    if (v_material == 3) {
        color = vec4(v_color.rgb, 1.0);
        return;
    }
    vec3 light = ambient(n) + SUN * max(0.0, dot(n, TO_SUN)) * sunlit(n);
    vec3 albedo = to_linear(v_color.rgb);
    vec3 emission = vec3(0.0);
    float alpha = 1.0;
    if (v_material == 0) albedo *= bricks();
    else if (v_material == 1) albedo *= 0.85 + 0.15 * clouds(on_face() * 1.5);
    else if (v_material == 2) { albedo = panels(); emission = albedo; }
    else if (v_material == 4 || v_material == 5) {
        float mottle = clouds(v_world.xz * 2.5 + v_world.y);
        bool death = v_material == 4;
        albedo = death ? vec3(0.30, 0.02, 0.015) : vec3(0.95, 0.35, 0.05);
        alpha = death ? mix(0.35, 0.75, mottle) : mix(0.15, 0.40, mottle);
        light = vec3(0.6);
    }
    else if (v_material == 6) alpha = 0.4157;
    else if (v_material == 7) albedo = slabs();
    else if (v_material == 8) { albedo = planks(); emission = 0.2 * albedo; }
    color = vec4(to_srgb(albedo * light + emission), alpha);
}
