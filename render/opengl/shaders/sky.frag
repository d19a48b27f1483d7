#version 330 core
// The sky where nothing stands before it; `u_rays` turns the place in the picture (-1..1) into a direction.
uniform mat3 u_rays;
uniform samplerCube u_sky;

in vec2 v_place;

out vec4 color;

void main() {
    color = vec4(texture(u_sky, u_rays * vec3(v_place, 1.0)).rgb, 1.0);
}
