#version 330 core
// A rectangle of the picture, as its left, lower, right and upper edges in clip space.
in vec4 in_edges;

void main() {
    float x = (gl_VertexID & 1) == 0 ? in_edges.x : in_edges.z;
    float y = (gl_VertexID & 2) == 0 ? in_edges.y : in_edges.w;
    gl_Position = vec4(x, y, 0.0, 1.0);
}
