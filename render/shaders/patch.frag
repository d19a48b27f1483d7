#version 330 core
// Copies the depth of another texture of the same size.
uniform sampler2D u_still;

void main() {
    gl_FragDepth = texelFetch(u_still, ivec2(gl_FragCoord.xy), 0).r;
}
