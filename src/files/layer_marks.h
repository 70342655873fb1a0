#pragma once

// How a layer of an overlay hides what lower layers have, in the form that needs no privilege (the
// mount option userxattr).  False: errno has the reason.

namespace gp {

// Nothing may be at this path.
bool HideInLowerLayers(const char* path);
bool HideContentInLowerLayers(const char* directory);

// Attributes by which layers tell the overlay more begin like this.
inline constexpr char kLayerMarks[] = "user.overlay.";

}  // namespace gp
