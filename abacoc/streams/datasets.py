"""The data sets: what each is, where it comes from, and what must be found in it."""

from __future__ import annotations

from dataclasses import dataclass

_GITHUB = "https://raw.githubusercontent.com"
_PMLB = "EpistasisLab/pmlb/{}3e2b4ef6376776fcad19574f7024488e0612bd7b/datasets/classification"
_UCI = "UCI Machine Learning Repository, CC BY 4.0"
_NOT_STATED = "not stated"


@dataclass(frozen=True)
class TableRow:
    """A row of Table I of the paper, as printed there."""

    classes: int
    dimension: int
    examples: int
    drift: bool
    source: str


@dataclass(frozen=True)
class DataFile:
    """One form in which a data set is to be had, and the public addresses of these very bytes."""

    name: str
    sha256: str
    urls: tuple[str, ...] = ()


@dataclass(frozen=True)
class Packaged:
    """A data file inside an archive that an installed Python package brings along."""

    package: str
    archive: str  # inside the package's folder
    member: str  # inside the archive; its name and SHA-256 are those of a `DataFile`


@dataclass(frozen=True)
class DataSet:
    """A data set of the experiments."""

    name: str
    title: str
    files: tuple[DataFile, ...]  # any of them will do; the first found is taken
    rows: int
    attributes: int  # after binarisation
    classes: int
    table1: TableRow | None
    terms: str = _NOT_STATED
    numeric: tuple[str | int, ...] = ()
    categorical: tuple[str | int, ...] = ()
    trailing_comma: bool = False
    packaged: Packaged | None = None


_ALL = (
    DataSet(
        "kddcup99",
        "network connections, normal or one of 22 attacks (the 10 percent file)",
        (
            DataFile(
                "kddcup.data_10_percent.gz",
                "8045aca0d84e70e622d1148d7df782496f6333bf6eb979a1b0837c42a9fd9561",
                (
                    f"{_GITHUB}/Kapetis/ST2/6d94539ad0398088efa114c7749637d61a2b4f10"
                    "/kddcup.data_10_percent.gz",
                    "https://ndownloader.figshare.com/files/5976042",
                ),
            ),
        ),
        rows=494_021,
        attributes=118,  # 38 numbers; protocol, service and flag have 3, 66 and 11 categories
        classes=23,
        table1=TableRow(23, 41, 494_021, False, "SDMR"),
        terms=_UCI,
    ),
    DataSet(
        "powersupply",
        "hourly power supply of an Italian company from two sources; the class is the hour",
        (
            DataFile(
                "powersupply.arff",
                "0e2c061f6211c2a25563fe565d7f97c2fceae098e314bf84f95370f01356e7be",
                (
                    f"{_GITHUB}/asieriko/REFuzzStream/b52a97a42f7d4ef12f018f38858042274c9f02a2"
                    "/datasets/powersupply.arff",
                ),
            ),
        ),
        rows=29_928,
        attributes=2,
        classes=24,
        table1=TableRow(24, 2, 29_928, True, "SDMR"),
        trailing_comma=True,  # one row of the published file ends in a stray comma
    ),
    DataSet(
        "sea",
        "synthetic: the sum of two of three numbers against a threshold that changes three times",
        (
            DataFile(
                "sea.data",
                "67f731eb2b17049bcfd0654b8ce162e70bca23d06b6a534ad1ff14cadf8d019e",
                (
                    f"{_GITHUB}/maydaycha/thesis/2a5b2c33d8c4b0dc18bf18a846c5b291b4d1fa11"
                    "/codes/sea.data",
                ),
            ),
        ),
        rows=60_000,
        attributes=3,
        classes=2,
        table1=TableRow(2, 3, 60_000, True, "DF"),
    ),
    DataSet(
        "poker",
        "five playing cards, suit and rank each; the class is the poker hand (training part)",
        (
            DataFile(
                "poker-hand-training-true.data",
                "08f18221a49359f30b557b3242282db18e327e431e031b2eb46250d5f9cbee9f",
                (
                    f"{_GITHUB}/AVC-CS/SCCUR2025-ML-PKhands"
                    "/045b14bc5acf94dfc4f8ea22a9a08cc518d14ead/data/poker-hand-training-true.data",
                ),
            ),
        ),
        rows=25_010,
        attributes=10,
        classes=10,
        table1=TableRow(10, 10, 25_010, False, "MOA"),
        terms=_UCI,
    ),
    DataSet(
        "covtype",
        "forest cover type of 30 m cells from cartographic variables, raw values",
        (
            DataFile(
                "covtype.csv.xz",
                "346334160ef5e07a2e1d675d83f8472ade54964de8c94095e853a5a50b7662fa",
            ),
            DataFile(  # the same rows without the header line
                "covtype.data.gz",
                "614360d0257557dd1792834a85a1cdebfadc3c4f30b011d56afee7ffb5b15771",
                ("https://ndownloader.figshare.com/files/5976039",),
            ),
        ),
        rows=581_012,
        attributes=54,
        classes=7,
        table1=TableRow(7, 54, 581_012, True, "MOA"),
        terms=_UCI,
    ),
    DataSet(
        "electricity",
        "half-hourly electricity market of New South Wales; does the price go up or down",
        (
            DataFile(
                "elecNormNew.arff",
                "2d86fbc74c69a5c04bcde0119bce280dd6d8efa0115987edc75b77ccf024d7f2",
                (
                    f"{_GITHUB}/diegomarron/ElasticSwapRandomForest"
                    "/8bd9d8e64544f8059329ae02ea12703f7fef229a/datasets/elecNormNew.arff",
                ),
            ),
        ),
        rows=45_312,
        attributes=8,
        classes=2,
        table1=TableRow(2, 8, 45_312, True, "MOA"),
        numeric=("day",),  # nominal in the file; a number gives the 8 dimensions of Table I
    ),
    DataSet(
        "connect-4",
        "positions of the game after eight moves; does the first player win, lose or draw",
        (
            DataFile(
                "connect-4.tsv.gz",
                "e283074e1123d23361332bd83414c172640d2596fc076d1e20e8f4a64a658137",
                (
                    f"{_GITHUB}/{_PMLB.format('')}/connect-4/connect-4.tsv.gz",
                    # Also serves files that the repository keeps in large-file storage.
                    f"https://github.com/{_PMLB.format('raw/')}/connect-4/connect-4.tsv.gz",
                ),
            ),
        ),
        rows=67_557,
        attributes=126,
        classes=3,
        table1=TableRow(3, 126, 67_557, False, "LIBSVM"),
        terms=_UCI,
        categorical=tuple(range(1, 43)),  # 0, 1, 2 for blank, o, x: names, not quantities
    ),
    DataSet(
        "banana",
        "two banana-shaped classes in the plane (Figure 1)",
        (
            DataFile(
                "banana.all.txt",
                "5b24172636ce705522990516f15cd74e1080429ccdd9b371f3dd83f940273308",
            ),
        ),
        rows=5_300,
        attributes=2,
        classes=2,
        table1=None,
        packaged=Packaged("river", "datasets/banana.zip", "banana.all.txt"),
    ),
)

DATASETS: dict[str, DataSet] = {dataset.name: dataset for dataset in _ALL}
