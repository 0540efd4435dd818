"""Draws Two4Two scenes with Blender's Cycles: `python draw_scenes.py SCENES.json FOLDER`, where `bpy` is installed.

Prints JSON: for each number of samples, the CPU seconds of every picture, and those of the masks. Pictures are left in the
folder as `NUMBER_SAMPLES.png`.
"""

import json
import math
import sys
import time
from pathlib import Path

import bpy

SAMPLES = (128, 32, 16, 8)
FACES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]


def material(name, rgb, *, shines=False):
    """Return a matt or a shining surface."""
    made = bpy.data.materials.new(name)
    made.use_nodes = True
    tree = made.node_tree
    tree.nodes.clear()
    output = tree.nodes.new("ShaderNodeOutputMaterial")
    shader = tree.nodes.new("ShaderNodeEmission" if shines else "ShaderNodeBsdfDiffuse")
    shader.inputs["Color"].default_value = (*rgb, 1)
    tree.links.new(shader.outputs[0], output.inputs[0])
    return made


def mesh(name, points, faces, surface):
    """Put a mesh into the scene."""
    shape = bpy.data.meshes.new(name)
    shape.from_pydata([tuple(point) for point in points], [], faces)
    shape.materials.append(surface)
    made = bpy.data.objects.new(name, shape)
    bpy.context.collection.objects.link(made)
    return made


def build(facts):
    """Chamfered and subdivided cubes, a wall, one elliptic light and a camera, as the original places them."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    animal = material("animal", facts["animal_rgb"])
    blocks = []
    for number, corners in enumerate(facts["corners"]):
        block = mesh(f"block{number}", corners, FACES, animal)
        bevel = block.modifiers.new("bevel", "BEVEL")
        bevel.width, bevel.segments, bevel.limit_method, bevel.offset_type = facts["bevel"], 1, "NONE", "OFFSET"
        smooth = block.modifiers.new("smooth", "SUBSURF")
        smooth.levels, smooth.render_levels = 1, 5
        blocks.append(block)
    x = facts["wall_x"]
    points = [(x, -10, -10), (x, 10, -10), (x, 10, 10), (x, -10, 10)]
    wall = mesh("wall", points, [(0, 1, 2, 3)], material("wall", facts["wall_rgb"]))
    light = bpy.data.lights.new("light", "AREA")
    light.shape, light.size, light.size_y, light.energy = "ELLIPSE", 20, 15, 20000
    place("light", light, (10, 10, 10), (math.pi / 4, math.pi / 4, math.pi / 2))
    bpy.context.scene.camera = place("camera", bpy.data.cameras.new("camera"), (9, 0, 0), (math.pi / 2, 0, math.pi / 2))
    return [wall, *blocks]


def place(name, data, location, rotation):
    """Put a light or a camera into the scene."""
    made = bpy.data.objects.new(name, data)
    made.location, made.rotation_euler = location, rotation
    bpy.context.collection.objects.link(made)
    return made


def settle():
    """Choose Cycles as the original did."""
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.render.resolution_x = scene.render.resolution_y = 128
    scene.render.resolution_percentage = 100
    scene.view_settings.view_transform, scene.view_settings.look = "Filmic", "None"
    cycles = scene.cycles
    cycles.device, cycles.use_adaptive_sampling, cycles.use_denoising = "CPU", False, False
    cycles.max_bounces, cycles.diffuse_bounces = 12, 4


def draw(path, samples):
    """Draw a picture, and return the CPU seconds."""
    bpy.context.scene.cycles.samples = samples
    bpy.context.scene.render.filepath = str(path)
    start = time.process_time()
    bpy.ops.render.render(write_still=True)
    return time.process_time() - start


def draw_mask(objects, path):
    """Draw the number of the block that each pixel shows."""
    for number, body in enumerate(objects):
        body.data.materials[0] = material(f"id{number}", ((number + 1) / 16.0,) * 3, shines=True)
    bpy.context.scene.view_settings.view_transform = "Raw"
    bpy.context.scene.cycles.filter_width = 0.01
    return draw(path, 1)


def main():
    """Draw all scenes of the file."""
    folder = Path(sys.argv[2])
    seconds = {str(samples): [] for samples in SAMPLES} | {"mask": [], "build": []}
    for number, facts in enumerate(json.loads(Path(sys.argv[1]).read_text())):
        start = time.process_time()
        objects = build(facts)
        settle()
        seconds["build"].append(time.process_time() - start)
        for samples in SAMPLES:
            seconds[str(samples)].append(draw(folder / f"{number}_{samples}.png", samples))
        seconds["mask"].append(draw_mask(objects, folder / f"{number}_mask.png"))
    (folder / "seconds.json").write_text(json.dumps({"version": bpy.app.version_string, "seconds": seconds}))


main()
