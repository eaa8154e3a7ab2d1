"""Neural similarities with seeded random weights, beside the models they are defined by."""

import hashlib

import pytest
from PIL import Image

from helm_structext import metrics
from helm_structext.errors import SetupError
from helm_structext.metrics import match_sizes, neural, neural_similarities, weights
from helm_structext.metrics.sizes import Canvas
from helm_structext.storage.cache import cache_folder
from support.lazy import Lazy
from support.pictures import drawn, photo

torch, lpips = Lazy("torch"), Lazy("lpips")
models, transforms = Lazy("torchvision.models"), Lazy("torchvision.transforms")
image_metrics = Lazy("helm.benchmark.metrics.vision_language.image_metrics")

# The lpips package asks torchvision for its model in an old way.
pytestmark = [
    pytest.mark.filterwarnings("ignore::UserWarning:torchvision"),
    pytest.mark.usefixtures("one_thread"),
]
NEURAL = ["inception_similarity", "fid_similarity", "lpips_similarity"]
IMAGENET = {"mean": [0.485, 0.456, 0.406], "std": [0.229, 0.224, 0.225]}
PAIRS = [
    (photo(1, (300, 200)), photo(2, (310, 180))),
    (drawn("plot", 1, (900, 120), (255, 255, 255)), drawn("plot", 2, (880, 140), (0, 0, 0))),
    (drawn("table", 3, (40, 400), (255, 255, 255)), drawn("table", 3, (40, 400), (9, 9, 9))),
    (photo(4, (700, 20)), photo(5, (700, 20))),
]


@pytest.fixture(scope="module")
def inception():
    torch.manual_seed(0)
    model = models.inception_v3(weights=None, transform_input=False, init_weights=False).eval()
    # Kept apart from one another by every layer, as trained ones are.
    for module in model.modules():
        if isinstance(module, torch.nn.BatchNorm2d):
            module.running_mean.normal_(0, 0.05)
            module.running_var.uniform_(0.05, 0.2)
            module.bias.data.normal_(0, 0.1)
    return model


@pytest.fixture(scope="module")
def vgg():
    torch.manual_seed(1)
    return lpips.LPIPS(net="vgg", pnet_rand=True, verbose=False)


@pytest.fixture(autouse=True)
def seeded_weights(monkeypatch, tmp_path, inception, vgg):
    """Puts the random weights where those of the files would be, and forgets what was seen."""
    pieces = [getattr(vgg.net, f"slice{n}") for n in range(1, 6)]
    features = {
        f"features.{key}": value for piece in pieces for key, value in piece.state_dict().items()
    }
    states = {weights.INCEPTION_V3: inception.state_dict(), weights.VGG_16: features}
    monkeypatch.setattr(neural, "_state", states.__getitem__)
    monkeypatch.setenv("HELM_STRUCTEXT_CACHE", str(tmp_path / "cache"))
    forget()
    yield
    forget()


def forget():
    neural._inception.cache_clear()
    neural._lpips.cache_clear()
    neural._kept.clear()


def test_inception_similarity_is_the_cosine_of_what_enters_the_last_layer(inception):
    seen = []
    hook = inception.avgpool.register_forward_hook(lambda *args: seen.append(args[2].flatten()))
    prepare = transforms.Compose(
        [transforms.Resize((299, 299)), transforms.ToTensor(), transforms.Normalize(**IMAGENET)]
    )
    inception.transform_input = True  # as torchvision sets it for these weights
    with torch.no_grad():
        for prediction, reference in PAIRS:
            seen.clear()
            for picture in match_sizes(prediction, reference):
                inception(prepare(picture)[None])
            expected = (1 + torch.cosine_similarity(*seen, dim=0)) / 2
            ours = metrics.inception_similarity(prediction, reference)
            assert ours == pytest.approx(float(expected), abs=1e-5)
            assert 0.4 < ours < 0.99999  # the random network tells pictures apart
    inception.transform_input = False
    hook.remove()


def test_fid_similarity_equals_helm(inception):
    helm = image_metrics.AnnotatedImageMetrics("latex", [])
    helm._inception_model = inception
    helm._device = "cpu"
    for prediction, reference in PAIRS:
        matched = match_sizes(prediction, reference)
        expected = float(helm.fid_similarity(*matched))
        assert metrics.fid_similarity(prediction, reference) == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize(
    "size", [(1, 1), (7, 7), (1, 5), (13, 7), (300, 299), (299, 301), (77, 641), (1283, 719)]
)
def test_middle_square_is_what_helm_cuts_out(size):
    picture = photo(1, size)
    expected = image_metrics.AnnotatedImageMetrics("latex", [])._preprocess_image(picture)
    torch.testing.assert_close(
        neural._middle_square(Canvas(picture, picture.size)), expected, atol=1e-6, rtol=0
    )


def test_lpips_similarity_equals_the_lpips_package(vgg):
    prepare = transforms.Compose([transforms.Resize((256, 256)), transforms.ToTensor()])
    for prediction, reference in PAIRS:
        matched = [prepare(picture)[None] for picture in match_sizes(prediction, reference)]
        with torch.no_grad():
            expected = 1 - float(vgg(*matched, normalize=True))
        ours = metrics.lpips_similarity(prediction, reference)
        assert ours == pytest.approx(expected, abs=1e-5)
        assert ours < 0.9999


@pytest.mark.parametrize("metric", NEURAL)
def test_batch_size_and_what_was_seen_before_change_nothing(metric):
    predictions, references = zip(*PAIRS[:3], strict=True)
    one_by_one = [getattr(metrics, metric)(*pair) for pair in PAIRS[:3]]
    seen_before = neural_similarities(metric, predictions, references, batch_size=2)
    assert seen_before == pytest.approx(one_by_one, abs=1e-5)
    neural._kept.clear()
    at_once = neural_similarities(metric, predictions, references, batch_size=3)
    assert at_once == pytest.approx(one_by_one, abs=1e-5)


@pytest.mark.parametrize("metric", NEURAL)
def test_equal_pictures(metric):
    picture = drawn("webpage", 1, (200, 100), (255, 255, 255))
    assert getattr(metrics, metric)(picture, picture) == pytest.approx(1, abs=1e-6)


@pytest.fixture
def batches(monkeypatch):
    """Numbers of pictures that networks get to see."""
    seen = []
    for metric in NEURAL:
        method = neural._METHODS[metric]
        counted = method._replace(
            vectors=lambda x, see=method.vectors: seen.append(len(x)) or see(x),
            references_in_memory=2,
        )
        monkeypatch.setitem(neural._METHODS, metric, counted)
    return seen


@pytest.fixture
def three():
    return [drawn(kind, 1, (90, 60), (255, 255, 255)) for kind in ("plot", "table", "music")]


@pytest.mark.parametrize("metric", NEURAL)
def test_references_are_seen_once_and_equal_pictures_too(metric, batches, three):
    a, b, c = three
    neural_similarities(metric, [a, b], [c, c])
    assert batches == [3]
    neural_similarities(metric, [b], [c.copy()])
    assert batches == [3, 1]
    neural_similarities(metric, [a, b, c], [c.copy(), a, b])
    assert batches == [3, 1, 2]
    assert len(neural._kept[metric]) == 2


@pytest.mark.parametrize("metric", ["inception_similarity", "fid_similarity"])
def test_what_inception_sees_in_references_is_kept_on_disk(metric, batches, three):
    a, b, c = three
    expected = neural_similarities(metric, [a, b], [c, c])
    (record,) = (cache_folder() / "networks").rglob("*.json")
    neural._kept.clear()  # as in another process
    assert neural_similarities(metric, [a, b], [c, c]) == pytest.approx(expected, abs=1e-6)
    assert batches == [3, 2]
    record.write_bytes(record.read_bytes()[:-9])
    neural._kept.clear()
    assert neural_similarities(metric, [a, b], [c, c]) == pytest.approx(expected, abs=1e-6)
    assert batches == [3, 2, 3]
    neural._kept.clear()
    neural_similarities(metric, [a], [c])
    assert batches == [3, 2, 3, 1]


def test_what_lpips_sees_is_too_much_for_the_disk(batches, three):
    a, _, c = three
    neural_similarities("lpips_similarity", [a], [c])
    assert not (cache_folder() / "networks").exists()


@pytest.mark.parametrize("metric", NEURAL)
def test_without_weights_there_is_one_clear_line(metric, monkeypatch, tmp_path):
    monkeypatch.undo()
    monkeypatch.setenv("HELM_STRUCTEXT_WEIGHTS", str(tmp_path))
    picture = photo(1, (20, 20))
    with pytest.raises(metrics.WeightsMissing) as caught:
        getattr(metrics, metric)(picture, picture)
    assert isinstance(caught.value, SetupError)
    line = str(caught.value)
    assert "\n" not in line
    for part in (str(tmp_path), ".pth", "helm-structext weights fetch", "HELM_STRUCTEXT_WEIGHTS"):
        assert part in line


def test_files_on_disk_are_read(monkeypatch, tmp_path, inception):
    monkeypatch.undo()
    monkeypatch.setenv("HELM_STRUCTEXT_WEIGHTS", str(tmp_path))
    assert metrics.missing_weights() == list(weights.WEIGHT_FILES)
    torch.save(inception.state_dict(), weights.INCEPTION_V3.path)
    with pytest.raises(SetupError, match="is damaged"):  # These are not the published ones.
        metrics.fid_similarity(*PAIRS[0])
    monkeypatch.setattr(neural, "check_weights", lambda file: None)
    assert metrics.missing_weights() == [weights.VGG_16]
    assert 0 < metrics.fid_similarity(*PAIRS[0]) < 1


@pytest.mark.parametrize("right", [True, False])
def test_fetched_files_are_checked(monkeypatch, tmp_path, right):
    content = b"weights"
    digest = hashlib.sha256(content if right else b"others").hexdigest()[:8]
    (tmp_path / "server").mkdir()
    served = tmp_path / "server" / f"net-{digest}.pth"
    served.write_bytes(content)
    file = weights.WeightFile(served.as_uri())
    monkeypatch.setattr(weights, "WEIGHT_FILES", (file,))
    monkeypatch.setenv("HELM_STRUCTEXT_WEIGHTS", str(tmp_path / "weights"))
    if right:
        (path,) = metrics.fetch_weights()
        assert path == tmp_path / "weights" / served.name
        assert path.read_bytes() == content
        served.unlink()
        assert metrics.fetch_weights() == [path]  # nothing is fetched twice
    else:
        with pytest.raises(SetupError, match=f"{served.name} could not be fetched .*invalid hash"):
            metrics.fetch_weights()
        assert list((tmp_path / "weights").iterdir()) == []


def test_unreachable_files_are_named(monkeypatch, tmp_path):
    file = weights.WeightFile((tmp_path / "net-00000000.pth").as_uri())
    monkeypatch.setattr(weights, "WEIGHT_FILES", (file,))
    monkeypatch.setenv("HELM_STRUCTEXT_WEIGHTS", str(tmp_path / "weights"))
    with pytest.raises(SetupError, match=r"net-00000000\.pth could not be fetched"):
        metrics.fetch_weights()


def test_sequences_of_different_lengths():
    with pytest.raises(ValueError, match="predictions: expected as many as references, 0, got 1"):
        neural_similarities("fid_similarity", [Image.new("L", (1, 1))], [])
    with pytest.raises(ValueError, match=r"metric: expected one of inception_similarity, .* 'fid'"):
        neural_similarities("fid", [], [])
