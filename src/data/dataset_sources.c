/*
 * dataset_sources.c - the addresses of data sets, and the sizes and SHA-256 of their files.
 *
 * These numbers are published in several places: by torchvision, TensorFlow Datasets and the
 * authors. All are public; a data set is downloaded only when a user asks for it.
 */
#include <stddef.h>

#include "data/dataset_source.h"

static const char *const mnist_addresses[] = {
    "https://ossci-datasets.s3.amazonaws.com/mnist/",
    "https://storage.googleapis.com/cvdf-datasets/mnist/",
    NULL,
};

static const struct dataset_file mnist_downloads[] = {
    {"train-images-idx3-ubyte.gz", 9912422,
     "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609"},
    {"train-labels-idx1-ubyte.gz", 28881,
     "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c"},
    {"t10k-images-idx3-ubyte.gz",  1648877,
     "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6"},
    {"t10k-labels-idx1-ubyte.gz",  4542,
     "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6"},
    {NULL,                         0,       NULL                       },
};

static const struct dataset_file mnist_files[] = {
    {"train-images-idx3-ubyte", 47040016,
     "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db"},
    {"train-labels-idx1-ubyte", 60008,
     "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5"},
    {"t10k-images-idx3-ubyte",  7840016,
     "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7"},
    {"t10k-labels-idx1-ubyte",  10008,
     "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2"},
    {NULL,                      0,        NULL                         },
};

const struct dataset_source mnist_source = {
    .folder = "mnist",
    .addresses = mnist_addresses,
    .downloads = mnist_downloads,
    .files = mnist_files,
};

static const char *const fashion_addresses[] = {
    "https://github.com/zalandoresearch/fashion-mnist/raw/master/data/fashion/",
    "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/",
    NULL,
};

static const struct dataset_file fashion_downloads[] = {
    {"train-images-idx3-ubyte.gz", 26421880,
     "3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84"},
    {"train-labels-idx1-ubyte.gz", 29515,
     "a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845"},
    {"t10k-images-idx3-ubyte.gz",  4422102,
     "346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073"},
    {"t10k-labels-idx1-ubyte.gz",  5148,
     "67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5"},
    {NULL,                         0,        NULL                      },
};

static const struct dataset_file fashion_files[] = {
    {"train-images-idx3-ubyte", 47040016,
     "c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888"},
    {"train-labels-idx1-ubyte", 60008,
     "bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9"},
    {"t10k-images-idx3-ubyte",  7840016,
     "5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b"},
    {"t10k-labels-idx1-ubyte",  10008,
     "0402a96d92fd2663957122ceb108a494c5af83dab82d92729df917d7dec38c34"},
    {NULL,                      0,        NULL                         },
};

const struct dataset_source fashion_mnist_source = {
    .folder = "fashion-mnist",
    .addresses = fashion_addresses,
    .downloads = fashion_downloads,
    .files = fashion_files,
};

static const char *const cifar_addresses[] = {"https://www.cs.toronto.edu/~kriz/", NULL};

static const struct dataset_file cifar10_downloads[] = {
    {"cifar-10-binary.tar.gz", 170052171,
     "c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd"},
    {NULL,                     0,         NULL                         },
};

static const struct dataset_file cifar10_files[] = {
    {"data_batch_1.bin", 30730000,
     "cee916563c9f80d84e3cc88e17fdc0941787f1244f00a67874d45b261883ada5"},
    {"data_batch_2.bin", 30730000,
     "a591ca11fa1708a91ee40f54b3da4784ccd871ecf2137de63f51ada8b3fa57ed"},
    {"data_batch_3.bin", 30730000,
     "bbe8596564c0f86427f876058170b84dac6670ddf06d79402899d93ceea26f67"},
    {"data_batch_4.bin", 30730000,
     "014e562d6e23c72197cc727519169a60359f5eccd8945ad5a09d710285ff4e48"},
    {"data_batch_5.bin", 30730000,
     "755304fc0b379caeae8c14f0dac912fbc7d6cd469eb67a1029a08a39453a9add"},
    {"test_batch.bin",   30730000,
     "8e2eb146ae340b09e24670f29cabc6326dba54da8789dab6768acf480273f65b"},
    {NULL,               0,        NULL                                },
};

const struct dataset_source cifar10_source = {
    .folder = "cifar-10-batches-bin",
    .addresses = cifar_addresses,
    .downloads = cifar10_downloads,
    .is_archive = true,
    .files = cifar10_files,
};

static const struct dataset_file cifar100_downloads[] = {
    {"cifar-100-binary.tar.gz", 168513733,
     "58a81ae192c23a4be8b1804d68e518ed807d710a4eb253b1f2a199162a40d8ec"},
    {NULL,                      0,         NULL                        },
};

static const struct dataset_file cifar100_files[] = {
    {"train.bin", 153700000, "f31298fc616915fa142368359df1c4ca2ae984d6915ca468b998a5ec6aeebf29"},
    {"test.bin",  30740000,  "d8b1e6b7b3bee4020055f0699b111f60b1af1e262aeb93a0b659061746f8224a"},
    {NULL,        0,         NULL                                                              },
};

const struct dataset_source cifar100_source = {
    .folder = "cifar-100-binary",
    .addresses = cifar_addresses,
    .downloads = cifar100_downloads,
    .is_archive = true,
    .files = cifar100_files,
};
