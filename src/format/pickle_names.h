/*
 * pickle_names.h - the functions and classes of Python that a pickle of data may name.
 *
 * Private to the reader of pickles. A row is module, name, what it is. All other names are
 * rejected.
 */
#ifndef FORMAT_PICKLE_NAMES_H
#define FORMAT_PICKLE_NAMES_H

enum pickle_name {
    PICKLE_RECONSTRUCT, /* an array, whose contents follow by BUILD */
    PICKLE_NDARRAY,
    PICKLE_NEW_DTYPE,
    PICKLE_SCALAR,
    PICKLE_FROM_BUFFER,
    PICKLE_ENCODE, /* bytes from a text: Python 3 in protocols 0 to 2 */
    PICKLE_NEW_BYTES,
    PICKLE_ORDERED_DICT,
    PICKLE_REBUILD_TENSOR,
    PICKLE_REBUILD_PARAMETER,
    PICKLE_TORCH_SIZE,
    PICKLE_STORAGE_CLASS /* + enum element_kind */
};

#define PICKLE_NAMES(X)                                               \
    X("numpy.core.multiarray", "_reconstruct", PICKLE_RECONSTRUCT)    \
    X("numpy._core.multiarray", "_reconstruct", PICKLE_RECONSTRUCT)   \
    X("numpy.core.multiarray", "scalar", PICKLE_SCALAR)               \
    X("numpy._core.multiarray", "scalar", PICKLE_SCALAR)              \
    X("numpy.core.numeric", "_frombuffer", PICKLE_FROM_BUFFER)        \
    X("numpy._core.numeric", "_frombuffer", PICKLE_FROM_BUFFER)       \
    X("numpy", "ndarray", PICKLE_NDARRAY)                             \
    X("numpy", "dtype", PICKLE_NEW_DTYPE)                             \
    X("_codecs", "encode", PICKLE_ENCODE)                             \
    X("__builtin__", "bytes", PICKLE_NEW_BYTES)                       \
    X("builtins", "bytes", PICKLE_NEW_BYTES)                          \
    X("collections", "OrderedDict", PICKLE_ORDERED_DICT)              \
    X("torch._utils", "_rebuild_tensor_v2", PICKLE_REBUILD_TENSOR)    \
    X("torch._utils", "_rebuild_parameter", PICKLE_REBUILD_PARAMETER) \
    X("torch", "Size", PICKLE_TORCH_SIZE)                             \
    X("torch", "BoolStorage", PICKLE_STORAGE_CLASS + ELEMENT_BOOL)    \
    X("torch", "ByteStorage", PICKLE_STORAGE_CLASS + ELEMENT_U8)      \
    X("torch", "CharStorage", PICKLE_STORAGE_CLASS + ELEMENT_I8)      \
    X("torch", "ShortStorage", PICKLE_STORAGE_CLASS + ELEMENT_I16)    \
    X("torch", "IntStorage", PICKLE_STORAGE_CLASS + ELEMENT_I32)      \
    X("torch", "LongStorage", PICKLE_STORAGE_CLASS + ELEMENT_I64)     \
    X("torch", "HalfStorage", PICKLE_STORAGE_CLASS + ELEMENT_F16)     \
    X("torch", "FloatStorage", PICKLE_STORAGE_CLASS + ELEMENT_F32)    \
    X("torch", "DoubleStorage", PICKLE_STORAGE_CLASS + ELEMENT_F64)   \
    X("torch", "BFloat16Storage", PICKLE_STORAGE_CLASS + ELEMENT_BF16)

#endif
