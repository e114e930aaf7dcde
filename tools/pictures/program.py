"""What the program prints."""

import json
import subprocess


def output_of(program, *arguments):
    return subprocess.run([program, *arguments], check=True, capture_output=True, text=True).stdout


def json_of(program, *arguments):
    return json.loads(output_of(program, *arguments, "--json"))
