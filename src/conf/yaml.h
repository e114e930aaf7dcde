/*
 * yaml.h - YAML to nodes. The only file that knows libfyaml.
 *
 * Refused with a clear message and position: more than 1 MB, lines over 64 KB, over 100 000 values,
 * nesting over 32, aliases and anchors (alias bombs), tags, merge keys, duplicate keys ('-' and '_'
 * the same), keys that are not a single value, tabs as indentation, NUL and other controls, bad
 * UTF-8, several documents (but see yaml_parse_merged). A file without content is a null; a caller
 * that wants a map checks.
 */
#ifndef CONF_YAML_H
#define CONF_YAML_H

#include "conf/node.h"

enum status yaml_load(const char *path, struct node **root);
enum status yaml_parse(const char *content, size_t length, const char *origin, struct node **root);

/*
 * As yaml_parse, for a file that may hold several documents, each a map or nothing: their keys
 * become those of one map. A key that two of them have is an error that names both places, and so
 * is a document of another kind beside others.
 */
enum status yaml_parse_merged(const char *content, size_t length, const char *origin,
                              struct node **root);

#endif
