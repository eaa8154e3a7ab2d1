"""Scenes: what a picture shows, as data, and the formats that can write it."""
