/*
 * planner.c - see planner.h.
 *
 * The queue of A* has one stack per estimated length. Lengths are whole numbers: a straight step is
 * 408 and a diagonal one 577, the best such approximation of sqrt(2) (to 2e-6). A step increases
 * the estimate by at most twice its length, so 2048 stacks in a ring are enough, and the next
 * cell is found without comparisons. The estimate is consistent: a cell that has been taken from
 * the queue is final.
 */
#include "data/lidar/planner.h"

#include <math.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/mem.h"
#include "data/distance_transform.h"
#include "data/lidar/lidar.h"

enum { STRAIGHT = 408, DIAGONAL = 577, STACKS = 2048, DIRECTIONS = 8 };
_Static_assert(STACKS > 2 * DIAGONAL, "estimates of queued cells differ by less");

#define COST_MAX (UINT32_MAX - 2 * DIAGONAL) /* seven million steps */

/* The straight directions come first. */
static const int step_x[DIRECTIONS] = {1, 0, -1, 0, 1, -1, 1, -1};
static const int step_y[DIRECTIONS] = {0, 1, 0, -1, 1, 1, -1, -1};

struct cell {
    uint32_t cost;     /* from the start */
    uint16_t search;   /* which has set cost, direction and is_final */
    uint8_t direction; /* of the step that leads here */
    bool is_final : 1, is_blocked : 1;
};

struct stack {
    uint32_t *items;
    int64_t count, capacity;
};

struct planner {
    int64_t width, height, stride;
    struct cell *cells; /* [height + 2][stride]; the cells around the plan are blocked */
    int directions;
    int64_t offsets[DIRECTIONS];
    uint16_t search;
    struct stack stacks[STACKS];
    int64_t queued;
};

/* --- set-up --- */

static void block_walls(struct planner *p, const uint8_t *walls, int64_t clearance)
{
    const int64_t count = p->width * p->height;
    double *distances = MEM_NEW_N(double, count);

    distance_transform(walls, p->width, p->height, distances);
    for (int64_t i = 0; i < count; i++) {
        struct cell *cell = &p->cells[(i / p->width + 1) * p->stride + i % p->width + 1];

        cell->is_blocked = distances[i] <= (double)clearance;
    }
    mem_free(distances);
}

static void block_outside(struct planner *p)
{
    for (int64_t x = 0; x < p->stride; x++)
        p->cells[x].is_blocked = p->cells[(p->height + 1) * p->stride + x].is_blocked = true;
    for (int64_t y = 0; y < p->height + 2; y++)
        p->cells[y * p->stride].is_blocked = p->cells[y * p->stride + p->width + 1].is_blocked =
            true;
}

struct planner *planner_new(const struct floor_plan *plan, const struct planner_options *options)
{
    struct planner *p = MEM_NEW(struct planner);
    uint8_t *walls = MEM_NEW_N(uint8_t, plan->width * plan->height);

    p->width = plan->width;
    p->height = plan->height;
    p->stride = plan->width + 2;
    p->cells = MEM_NEW_N(struct cell, p->stride * (p->height + 2));
    p->directions = options->is_diagonal ? DIRECTIONS : DIRECTIONS / 2;
    for (int d = 0; d < DIRECTIONS; d++)
        p->offsets[d] = step_y[d] * p->stride + step_x[d];
    for (int64_t i = 0; i < plan->width * plan->height; i++)
        walls[i] = plan->pixels[i] >= FLOOR_PLAN_WALL_MIN ||
                   lidar_is_border(plan, options->border, i % plan->width, i / plan->width);
    block_outside(p);
    block_walls(p, walls, options->clearance);
    mem_free(walls);
    return p;
}

void planner_free(struct planner *p)
{
    if (p == NULL)
        return;
    for (int i = 0; i < STACKS; i++)
        mem_free(p->stacks[i].items);
    mem_free(p->cells);
    mem_free(p);
}

int64_t planner_width(const struct planner *p)
{
    return p->width;
}

int64_t planner_height(const struct planner *p)
{
    return p->height;
}

bool planner_is_free(const struct planner *p, struct plan_cell at)
{
    return at.x >= 0 && at.y >= 0 && at.x < p->width && at.y < p->height &&
           !p->cells[(at.y + 1) * p->stride + at.x + 1].is_blocked;
}

/* --- the search --- */

static int64_t index_of(const struct planner *p, struct plan_cell at)
{
    return (at.y + 1) * p->stride + at.x + 1;
}

static struct plan_cell cell_at(const struct planner *p, int64_t index)
{
    return (struct plan_cell){(int32_t)(index % p->stride - 1), (int32_t)(index / p->stride - 1)};
}

/* The length of the way if there were no walls. */
static uint32_t estimate(const struct planner *p, struct plan_cell a, struct plan_cell b)
{
    const uint32_t dx = (uint32_t)abs(a.x - b.x), dy = (uint32_t)abs(a.y - b.y);
    const uint32_t longer = dx > dy ? dx : dy, shorter = dx > dy ? dy : dx;

    if (p->directions == DIRECTIONS)
        return STRAIGHT * longer + (DIAGONAL - STRAIGHT) * shorter;
    return STRAIGHT * (longer + shorter);
}

static void push(struct planner *p, uint32_t total, int64_t index)
{
    struct stack *s = &p->stacks[total % STACKS];

    if (s->count == s->capacity) {
        const int64_t capacity = s->capacity == 0 ? 64 : 2 * s->capacity;

        s->items = mem_resize(s->items, s->capacity, capacity, sizeof *s->items);
        s->capacity = capacity;
    }
    s->items[s->count++] = (uint32_t)index;
    p->queued++;
}

static bool is_open(const struct planner *p, int64_t index, int direction)
{
    if (p->cells[index + p->offsets[direction]].is_blocked)
        return false;
    if (direction < DIRECTIONS / 2)
        return true;
    return !p->cells[index + step_x[direction]].is_blocked &&
           !p->cells[index + step_y[direction] * p->stride].is_blocked;
}

static void expand(struct planner *p, int64_t index, struct plan_cell goal)
{
    const struct plan_cell at = cell_at(p, index);
    const uint32_t cost = p->cells[index].cost;

    for (int d = 0; d < p->directions && cost < COST_MAX; d++) {
        const uint32_t there = cost + (d < DIRECTIONS / 2 ? STRAIGHT : DIAGONAL);
        struct cell *next = &p->cells[index + p->offsets[d]];
        const bool is_known = next->search == p->search;

        if ((is_known && (next->is_final || next->cost <= there)) || !is_open(p, index, d))
            continue;
        next->cost = there;
        next->search = p->search;
        next->direction = (uint8_t)d;
        next->is_final = false;
        const struct plan_cell neighbour = {at.x + step_x[d], at.y + step_y[d]};
        push(p, there + estimate(p, neighbour, goal), index + p->offsets[d]);
    }
}

/* Marks of earlier searches are recognised by their number. */
static void begin_search(struct planner *p)
{
    if (++p->search == 0) {
        for (int64_t i = 0; i < p->stride * (p->height + 2); i++)
            p->cells[i].search = 0;
        p->search = 1;
    }
    for (int i = 0; i < STACKS; i++)
        p->stacks[i].count = 0;
    p->queued = 0;
}

static bool search(struct planner *p, struct plan_cell from, struct plan_cell to)
{
    const int64_t start = index_of(p, from), goal = index_of(p, to);
    uint32_t total = estimate(p, from, to);

    begin_search(p);
    p->cells[start].cost = 0;
    p->cells[start].search = p->search;
    p->cells[start].is_final = false;
    push(p, total, start);
    while (p->queued > 0) {
        struct stack *s = &p->stacks[total % STACKS];

        if (s->count == 0) {
            total++;
            continue;
        }
        const int64_t index = s->items[--s->count];
        p->queued--;
        if (index == goal)
            return true;
        if (p->cells[index].is_final)
            continue;
        p->cells[index].is_final = true;
        expand(p, index, to);
    }
    return false;
}

/* --- routes --- */

/* The cells from `from`, which is left out, to `to`; they are found backwards. */
static void append_way(struct planner *p, struct plan_cell from, struct plan_cell to,
                       struct plan_route *route)
{
    const int64_t start = index_of(p, from), goal = index_of(p, to);
    int64_t steps = 0, diagonal = 0;

    for (int64_t i = goal; i != start; i -= p->offsets[p->cells[i].direction], steps++)
        diagonal += p->cells[i].direction >= DIRECTIONS / 2;
    route->cells =
        mem_resize(route->cells, route->count, route->count + steps, sizeof *route->cells);
    route->count += steps;
    route->length += (double)(steps - diagonal) + sqrt(2) * (double)diagonal;
    for (int64_t i = goal, k = route->count; i != start; i -= p->offsets[p->cells[i].direction])
        route->cells[--k] = cell_at(p, i);
}

static bool ends_at(const struct plan_route *r, struct plan_cell at)
{
    return r->count > 0 && r->cells[r->count - 1].x == at.x && r->cells[r->count - 1].y == at.y;
}

bool planner_find(struct planner *p, struct plan_cell from, struct plan_cell to,
                  struct plan_route *route)
{
    if (!planner_is_free(p, from) || !planner_is_free(p, to) || !search(p, from, to))
        return false;
    if (!ends_at(route, from)) {
        route->cells =
            mem_resize(route->cells, route->count, route->count + 1, sizeof *route->cells);
        route->cells[route->count++] = from;
    }
    append_way(p, from, to, route);
    return true;
}

enum status planner_visit(struct planner *p, const struct plan_cell *via, int64_t count,
                          struct plan_route *route)
{
    for (int64_t i = 0; i < count; i++) {
        if (!planner_is_free(p, via[i]))
            return FAIL(STATUS_BAD_INPUT,
                        "place %lld, pixel (%d, %d), is in a wall or too near to one",
                        (long long)i + 1, via[i].x, via[i].y);
    }
    for (int64_t i = 1; i < count; i++) {
        if (!planner_find(p, via[i - 1], via[i], route))
            return FAIL(STATUS_BAD_INPUT,
                        "no way leads from place %lld, pixel (%d, %d), to place %lld, (%d, %d)",
                        (long long)i, via[i - 1].x, via[i - 1].y, (long long)i + 1, via[i].x,
                        via[i].y);
    }
    return STATUS_OK;
}
