#version 330 core
// Everything is in linear light; the frame buffer stores it as sRGB.
uniform sampler2DArray u_textures;
uniform sampler2DShadow u_shadows;

in vec3 v_shade;
in vec3 v_sun;
in vec3 v_shadow;
in vec2 v_uv;
flat in float v_layer;

out vec4 color;

void main() {
    vec4 texel = texture(u_textures, vec3(v_uv, v_layer));
    color = vec4(texel.rgb * (v_shade + v_sun * texture(u_shadows, v_shadow)), texel.a);
}
