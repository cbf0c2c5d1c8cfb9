def cases(world):
    raise __import__("paper.worlds").worlds.Missing
