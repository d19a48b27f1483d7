#version 330 core
// Metres along the viewing axis, and the instance. A ball's triangles lie inside the ball: there the ray is
// followed back to the ball itself, of radius 0.5 in the unit mesh's frame.
uniform bool u_parallel;

in float v_depth;
in vec3 v_place;
in vec3 v_ray;
flat in vec2 v_label;

out vec2 channels;

void main() {
    float depth = v_depth;
    if (v_label.y > 0.0) {
        vec3 metre = u_parallel ? v_ray : v_ray / v_depth;
        float square = dot(metre, metre);
        float along = dot(v_place, metre) / square;
        vec3 nearest = v_place - along * metre;
        depth -= along + sqrt(max(0.0, 0.25 - dot(nearest, nearest)) / square);
    }
    channels = vec2(depth, v_label.x);
}
