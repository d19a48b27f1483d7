#version 330 core
// A gradient by elevation, brighter on the sun's side, with the sun's disc; colours are as displayed.
uniform mat3 u_axes;
uniform vec2 u_size;
uniform float u_focal;

out vec4 color;

const vec3 TO_SUN = vec3(0.321, 0.766, -0.557);

// Measured at these elevations (degrees), away from the sun and towards it.
const float UP[8] = float[](10.0, 13.0, 17.0, 22.0, 28.0, 36.0, 42.0, 50.0);
const vec3 AWAY[8] = vec3[](vec3(169, 201, 229), vec3(152, 185, 216), vec3(136, 168, 207), vec3(124, 153, 193),
                            vec3(111, 139, 179), vec3(98, 126, 165), vec3(94, 119, 159), vec3(90, 115, 155));
const vec3 NEAR[8] = vec3[](vec3(180, 211, 244), vec3(174, 207, 243), vec3(163, 198, 236), vec3(151, 186, 230),
                            vec3(140, 174, 222), vec3(132, 164, 213), vec3(128, 160, 210), vec3(124, 156, 207));

vec3 gradient(float up, vec3 table[8]) {
    vec3 value = table[0];
    for (int i = 0; i < 7; ++i) value = mix(value, table[i + 1], clamp((up - UP[i]) / (UP[i + 1] - UP[i]), 0.0, 1.0));
    return value;
}

void main() {
    vec2 p = (gl_FragCoord.xy - 0.5 * u_size) / (0.5 * u_size.y);
    vec3 ray = normalize(u_axes * vec3(p.x, -p.y, u_focal));
    float up = degrees(asin(clamp(ray.y, -1.0, 1.0)));
    float side = 0.5 + 0.5 * dot(normalize(ray.xz + 1e-6), normalize(TO_SUN.xz));
    vec3 sky = mix(gradient(up, AWAY), gradient(up, NEAR), smoothstep(0.2, 0.9, side));
    float from_sun = degrees(acos(clamp(dot(ray, TO_SUN), -1.0, 1.0)));
    sky = mix(sky, vec3(255.0), 1.0 - smoothstep(5.0, 9.0, from_sun));
    color = vec4(sky / 255.0, 1.0);
}
