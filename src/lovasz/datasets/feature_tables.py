"""Datasets that are tables of features, whose graphs join similar rows."""

from __future__ import annotations

from lovasz.datasets.entry import DatasetEntry, File

_CHANG_LIN = "Chang and Lin, LIBSVM, ACM TIST 2011"
# Only the checksum of diabetes_scale was verified at this address; those of the other files are of
# copies.
_LIBSVM = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary"


def _libsvm(
    name: str,
    about: str,
    size: tuple[int, int, int],
    classes: tuple[str, str],
    file: tuple[int, str],
    *,
    licence: str = "CC BY 4.0 (UCI)",
    citation: str = f"UCI Machine Learning Repository; {_CHANG_LIN}",
    public: bool = True,
) -> DatasetEntry:
    url = f"{_LIBSVM}/{name}_scale" if public else None
    files = (File(f"uci/{name}_scale", *file, url),)
    return DatasetEntry(name, about, *size, classes, licence, citation, "libsvm", files)


def _mnist(name: str, size: int, sha256: str) -> File:
    return File(
        f"mnist/{name}", size, sha256, f"https://ossci-datasets.s3.amazonaws.com/mnist/{name}"
    )


# The classes are in the order of their labels, −1 and +1.
TABLES = (
    _libsvm(
        "breast-cancer",
        "cell samples of Wisconsin, nine scores and the sample's number",
        (683, 114_269, 10),
        ("benign", "malignant"),
        (60_669, "7c8e5b823e6f3d2791384c69502a2cfc930a26931a9968eb57826aa5b0edeb54"),
        public=False,  # the file of LIBSVM has the labels 2 and 4
    ),
    _libsvm(
        "diabetes",
        "Pima women, eight measurements",
        (768, 154_179, 8),
        ("positive", "negative"),
        (68_645, "0c07eb4c49e7a8ffb9c9f25095ac3022df2ca85b0dcb7d294c3ddea69f392cba"),
    ),
    _libsvm(
        "fourclass",
        "points of the plane in interlocked regions",
        (862, 192_229, 2),
        ("-1", "+1"),
        (23_156, "e27b003cd53d3141f8266b7e1db0d43e69f2824cc94c1d885fb27c8f2145a511"),
        licence="none stated",
        citation=f"Ho and Kleinberg, ICPR 1996; {_CHANG_LIN}",
    ),
    _libsvm(
        "heart",
        "heart patients, thirteen measurements (Statlog)",
        (270, 17_272, 13),
        ("absent", "present"),
        (27_670, "5defa0a4c4c5bdaf3f55ae3828310252e8565c13ee37ce279e0b86d82e7f4ce9"),
    ),
    _libsvm(
        "ionosphere",
        "radar returns from the ionosphere",
        (351, 28_765, 34),
        ("bad", "good"),
        (102_170, "f7751584264819b6ea908d513180cec6f9d9fad0d54e7f5693407da1e2eaece1"),
    ),
    _libsvm(
        "sonar",
        "sonar echoes from mines and rocks",
        (208, 11_090, 60),
        ("mine", "rock"),
        (156_000, "5d820b62d9873f13b283738971b02aef67900fcd98b310c8e77eca3d0dc53daa"),
    ),
    DatasetEntry(
        "mnist",
        'images of handwritten digits; load("mnist", n=2000) joins similar ones',
        60_000,
        None,
        784,
        tuple("0123456789"),
        licence="CC BY-SA 3.0 (as commonly stated)",
        citation="LeCun, Bottou, Bengio, Haffner, Proceedings of the IEEE 1998",
        format="mnist",
        files=(
            _mnist(
                "train-images-idx3-ubyte.gz",
                9_912_422,
                "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
            ),
            _mnist(
                "train-labels-idx1-ubyte.gz",
                28_881,
                "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
            ),
        ),
    ),
)
