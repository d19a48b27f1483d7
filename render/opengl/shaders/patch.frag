#version 330 core
// The depth of another map of the same size.
uniform sampler2D u_depth;

void main() {
    gl_FragDepth = texelFetch(u_depth, ivec2(gl_FragCoord.xy), 0).r;
}
