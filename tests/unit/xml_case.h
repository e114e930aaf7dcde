/*
 * xml_case.h - whether a text is well-formed XML, as far as drawings need it: tags match,
 * attributes are quoted and appear once, entities are known, the text is UTF-8 without control
 * characters.
 */
#ifndef TESTS_XML_CASE_H
#define TESTS_XML_CASE_H

#include "base/text.h"
#include "test.h"

enum { XML_DEPTH = 16 };

struct xml_case {
    const char *at;
    const char *open[XML_DEPTH]; /* names of open elements, in the text */
    size_t lengths[XML_DEPTH];
    int depth, elements;
};

static inline bool xml_is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == ':';
}

static inline size_t xml_name(const char *at)
{
    size_t length = 0;

    while (xml_is_name(at[length]))
        length++;
    return length;
}

static inline bool xml_characters(const char *text)
{
    for (const char *c = text; *c != '\0'; c++)
        if ((unsigned char)*c < 0x20 && *c != '\n' && *c != '\t')
            return false;
    return text_is_utf8(text, strlen(text));
}

/* Text or a value up to `end`: no "<", and "&" only as the beginning of an entity. */
static inline bool xml_skip_text(struct xml_case *x, char end)
{
    static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};

    for (; *x->at != end && *x->at != '\0'; x->at++) {
        bool is_entity = false;

        if (*x->at == '<')
            return false;
        for (int i = 0; *x->at == '&' && i < 5; i++)
            is_entity |= strncmp(x->at, entities[i], strlen(entities[i])) == 0;
        if (*x->at == '&' && !is_entity)
            return false;
    }
    return true;
}

static inline bool xml_attributes(struct xml_case *x)
{
    const char *names[24];
    size_t lengths[24];
    int count = 0;

    while (*x->at == ' ') {
        const size_t length = xml_name(++x->at);

        for (int i = 0; i < count; i++)
            if (lengths[i] == length && strncmp(names[i], x->at, length) == 0)
                return false;
        names[count] = x->at;
        lengths[count++] = length;
        x->at += length;
        if (length == 0 || count == 24 || strncmp(x->at, "=\"", 2) != 0)
            return false;
        x->at += 2;
        if (!xml_skip_text(x, '"') || *x->at != '"')
            return false;
        x->at++;
    }
    return true;
}

static inline bool xml_tag(struct xml_case *x)
{
    const bool is_end = x->at[1] == '/';
    const char *name = x->at + 1 + is_end;
    const size_t length = xml_name(name);

    x->at = name + length;
    if (is_end) {
        x->depth--;
        return x->depth >= 0 && x->lengths[x->depth] == length &&
               strncmp(x->open[x->depth], name, length) == 0 && *x->at++ == '>';
    }
    x->elements++;
    if (length == 0 || !xml_attributes(x))
        return false;
    if (strncmp(x->at, "/>", 2) == 0) {
        x->at += 2;
        return true;
    }
    if (x->depth == XML_DEPTH || *x->at++ != '>')
        return false;
    x->open[x->depth] = name;
    x->lengths[x->depth++] = length;
    return true;
}

/* Answers the number of elements; 0: it is not well-formed. */
static inline int xml_elements(const char *text)
{
    struct xml_case x = {.at = text};

    if (*text != '<' || !xml_characters(text))
        return 0;
    while (*x.at != '\0') {
        const bool is_fine = *x.at == '<' ? xml_tag(&x) : xml_skip_text(&x, '<');

        if (!is_fine || (x.depth == 0 && *x.at != '\0' && strcmp(x.at, "\n") != 0))
            return 0;
    }
    return x.depth == 0 ? x.elements : 0;
}

static inline int xml_count(const char *text, const char *part)
{
    int count = 0;

    for (const char *at = strstr(text, part); at != NULL; at = strstr(at + 1, part))
        count++;
    return count;
}

#endif
