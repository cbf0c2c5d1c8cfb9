"""The data sets: what each is, where it comes from, and what must be found in it.

What nobody here has seen is recorded as unknown: a SHA-256 or a fingerprint that is None.
"""

from __future__ import annotations

from dataclasses import replace

from abacoc.streams.entries import DataFile, DataSet, Packaged, TableRow
from abacoc.streams.fingerprint import recorded

__all__ = ["DATASETS", "VARIANTS", "DataFile", "DataSet", "Packaged", "TableRow"]

_GITHUB = "https://raw.githubusercontent.com"
_PMLB = "EpistasisLab/pmlb/{}3e2b4ef6376776fcad19574f7024488e0612bd7b/datasets/classification"
_UCI = "UCI Machine Learning Repository, CC BY 4.0"

_ALL = (
    DataSet(
        "sensor",
        "readings of 54 sensors in the Intel Berkeley Research Lab; the class is the sensor",
        (DataFile("sensor.arff", format="arff"),),
        rows=2_219_803,
        attributes=5,
        classes=54,
        table1=TableRow(54, 5, 2_219_803, False, "SDMR"),
        elsewhere="the Python package capymoa fetches it as capymoa.datasets.Sensor",
    ),
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
        encoding="columns 2 to 4 are binarised; Table I leaves open what was done with them, and "
        "kddcup99-41 has codes there instead",
        remark="the UCI file, the same rows as scikit-learn's fetch_kddcup99",
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
                "arff",
            ),
        ),
        rows=29_928,
        attributes=2,
        classes=24,
        table1=TableRow(24, 2, 29_928, True, "SDMR"),
        trailing_comma=True,  # one row of the published file ends in a stray comma
        remark="one row ends in a stray comma, which is passed over",
    ),
    DataSet(
        "hyperPlane",
        "synthetic: points labelled by a hyperplane that turns with time, in five classes",
        (DataFile("hyperplane.arff", format="arff"),),
        rows=100_000,
        attributes=10,
        classes=5,
        table1=TableRow(5, 10, 100_000, True, "SDMR"),
        remark="synthetic; the paper does not say how it was generated",
        elsewhere="generated:hyperplane makes a stream of its kind",
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
        remark="that it is the paper's file is inferred from its name, size and four blocks",
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
        encoding="suits and ranks as the numbers they are in the file: 10 columns as in Table I",
        remark="UCI's training part, which has Table I's number of examples",
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
        remark="UCI's raw values; MOA also has them scaled to [0, 1], and Table I does not say",
    ),
    DataSet(
        "airlines",
        "flights: airline, number, airports, day, time and length; is the flight delayed",
        (DataFile("airlines.arff", format="arff"),),
        rows=539_383,
        attributes=608,
        classes=2,
        table1=TableRow(2, 608, 539_383, True, "MOA"),
        numeric=(5,),  # DayOfWeek, nominal in the file
        encoding="Airline, AirportFrom and AirportTo binarised (18, 293 and 293 columns), Flight, "
        "DayOfWeek, Time and Length numbers: the 608 of Table I",
        elsewhere="the Python package capymoa fetches it as capymoa.datasets.Airlines",
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
                "arff",
            ),
        ),
        rows=45_312,
        attributes=8,
        classes=2,
        table1=TableRow(2, 8, 45_312, True, "MOA"),
        numeric=(2,),  # day
        encoding="day, nominal in the file, is a number: the 8 columns of Table I",
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
        encoding="the 42 squares binarised, blank, o and x: the 126 columns of Table I",
        remark="UCI's rows; the order of LIBSVM's file was not compared",
    ),
    DataSet(
        "acoustic",
        "vehicles in a sensor network, by their sound (SensIT Vehicle, acoustic)",
        (DataFile("acoustic.bz2", format="libsvm"),),
        rows=78_823,
        attributes=50,
        classes=3,
        table1=TableRow(3, 50, 78_823, False, "LIBSVM"),
        remark="Table I has the size of the training file alone (19,705 more are for testing); "
        "there is a scaled file too, acoustic_scale, and Table I does not say which was used",
    ),
    DataSet(
        "banana",
        "two banana-shaped classes in the plane (Figure 1)",
        (
            DataFile(
                "banana.all.txt",
                "5b24172636ce705522990516f15cd74e1080429ccdd9b371f3dd83f940273308",
                format="libsvm",
            ),
        ),
        rows=5_300,
        attributes=2,
        classes=2,
        table1=None,
        packaged=Packaged("river", "datasets/banana.zip", "banana.all.txt"),
        remark="the paper names banana-ida of mldata.org and draws 2,000 of its points",
    ),
)

_FINGERPRINTS = recorded()

DATASETS: dict[str, DataSet] = {
    dataset.name: replace(dataset, fingerprint=_FINGERPRINTS.get(dataset.name)) for dataset in _ALL
}

# The same files, read in another way.
VARIANTS: dict[str, DataSet] = {
    "kddcup99-41": replace(
        DATASETS["kddcup99"],
        name="kddcup99-41",
        title="kddcup99 with its three categorical columns as codes",
        attributes=41,
        ordinal=True,
        variant_of="kddcup99",
        encoding="columns 2 to 4 hold codes, the categories in alphabetical order: 41 columns",
        fingerprint=_FINGERPRINTS.get("kddcup99-41"),
    ),
}
