/* The temperature of a square plate by Jacobi's method, on any number of MPI processes.
 *
 * Usage: heat [--size N] [--steps N] [--tolerance T] [--checkpoint-every N] [--pause-ms N] [--out FILE]
 *
 * The upper edge has 100 degrees, the other three 0.  Each process has a block of rows, and exchanges its first and last
 * row with its neighbours before each step.  A point depends only on the four points around it in the step before, so the
 * result is the same, bit by bit, on any number of processes, and after any stop and restart; the digest shows it.
 *
 * It supports stops and restarts of the platform:
 *   GP_CHECKPOINT_DIR  the directory for its checkpoints, which rank 0 sees; each is complete or absent
 *   GP_RESUME_FROM     the checkpoint to resume from, or their directory if none was reported
 *   GP_REPORT          the pipe where rank 0 reports progress, the residual and checkpoints, one line each
 *   SIGUSR1            save a checkpoint and go on; the platform sends SIGTERM after it if the job must stop
 * --out receives the field, one line for each row, as text.
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <mpi.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LOOK_EVERY = 50 }; /* steps between two looks at the residual, the signals and the other processes */
static const char MAGIC[8] = "heat-v1";

typedef struct {
  int size; /* points of an edge */
  int steps;
  int checkpoint_every;
  int pause_ms; /* after each LOOK_EVERY steps, as for a larger plate */
  double tolerance; /* of the largest change of a point in a step */
  const char* out;
} Options;

typedef struct {
  int rank, ranks;
  int first, rows; /* this process's rows of the plate */
  int size;
  double* now; /* its rows, and one more above and below */
  double* next;
} Block;

static volatile sig_atomic_t is_asked;

static void take_request(int number) {
  (void)number;
  is_asked = 1;
}

/* The signal comes more than once: from the platform, and from mpirun, which passes on its own. */
static void listen_for_requests(void) {
  struct sigaction action = {.sa_handler = take_request, .sa_flags = SA_RESTART};
  sigaction(SIGUSR1, &action, NULL);
}

static void fail(const char* what, const char* path) {
  fprintf(stderr, "heat: %s%s%s\n", what, path ? ": " : "", path ? path : "");
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* One line to the platform; nothing outside a job. */
static void report(const char* format, ...) {
  const char* pipe = getenv("GP_REPORT");
  char line[PATH_MAX + 200];
  va_list values;
  int fd, length;
  if (!pipe || (fd = open(pipe, O_WRONLY | O_CLOEXEC)) < 0) return;
  va_start(values, format);
  length = vsnprintf(line, sizeof line, format, values);
  va_end(values);
  if (write(fd, line, (size_t)length) < 0) perror("heat: GP_REPORT");
  close(fd);
}

static int rows_of(int rank, int ranks, int size) { return size / ranks + (rank < size % ranks); }

static Block make_block(int size) {
  Block b = {.size = size};
  MPI_Comm_rank(MPI_COMM_WORLD, &b.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &b.ranks);
  if (b.ranks > size) fail("more processes than rows", NULL);
  for (int r = 0; r < b.rank; ++r) b.first += rows_of(r, b.ranks, size);
  b.rows = rows_of(b.rank, b.ranks, size);
  const size_t count = (size_t)(b.rows + 2) * (size_t)size;
  b.now = calloc(count, sizeof(double));
  b.next = calloc(count, sizeof(double));
  if (!b.now || !b.next) fail("no memory", NULL);
  return b;
}

static double* row(const Block* b, double* field, int number) { return field + (size_t)number * (size_t)b->size; }

static void heat_edge(Block* b) {
  if (b->first != 0) return;
  for (int x = 0; x < b->size; ++x) row(b, b->now, 1)[x] = 100.0;
}

static void exchange(Block* b) {
  const int up = b->rank > 0 ? b->rank - 1 : MPI_PROC_NULL;
  const int down = b->rank + 1 < b->ranks ? b->rank + 1 : MPI_PROC_NULL;
  MPI_Sendrecv(row(b, b->now, 1), b->size, MPI_DOUBLE, up, 0, row(b, b->now, b->rows + 1), b->size, MPI_DOUBLE, down, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(row(b, b->now, b->rows), b->size, MPI_DOUBLE, down, 1, row(b, b->now, 0), b->size, MPI_DOUBLE, up, 1,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Makes one step; returns the largest change of a point of this process. */
static double advance(Block* b) {
  double change = 0.0;
  exchange(b);
  for (int y = 1; y <= b->rows; ++y) {
    const double* above = row(b, b->now, y - 1);
    const double* here = row(b, b->now, y);
    const double* below = row(b, b->now, y + 1);
    double* to = row(b, b->next, y);
    const int at = b->first + y - 1; /* the row of the plate */
    memcpy(to, here, (size_t)b->size * sizeof(double));
    if (at == 0 || at == b->size - 1) continue;
    for (int x = 1; x < b->size - 1; ++x) {
      to[x] = 0.25 * (above[x] + below[x] + here[x - 1] + here[x + 1]);
      change = fmax(change, fabs(to[x] - here[x]));
    }
  }
  double* swapped = b->now;
  b->now = b->next;
  b->next = swapped;
  return change;
}

/* How the rows of all processes lie in the plate, in points. */
static void layout(const Block* b, int* counts, int* places) {
  for (int r = 0, at = 0; r < b->ranks; ++r) {
    counts[r] = rows_of(r, b->ranks, b->size) * b->size;
    places[r] = at;
    at += counts[r];
  }
}

/* The whole plate, on rank 0; elsewhere null. */
static double* gather(Block* b) {
  int counts[b->ranks], places[b->ranks];
  double* plate = b->rank == 0 ? malloc((size_t)b->size * (size_t)b->size * sizeof(double)) : NULL;
  if (b->rank == 0 && !plate) fail("no memory", NULL);
  layout(b, counts, places);
  MPI_Gatherv(row(b, b->now, 1), b->rows * b->size, MPI_DOUBLE, plate, counts, places, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  return plate;
}

static void scatter(Block* b, const double* plate) {
  int counts[b->ranks], places[b->ranks];
  layout(b, counts, places);
  MPI_Scatterv(plate, counts, places, MPI_DOUBLE, row(b, b->now, 1), b->rows * b->size, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

/* Writes a temporary file, syncs and renames it, so that a checkpoint is complete or absent.  On rank 0. */
static void write_checkpoint(const Block* b, const double* plate, int step, const char* directory) {
  char path[PATH_MAX], part[PATH_MAX + 8];
  struct timespec from, to;
  const int64_t head[2] = {step, b->size};
  const size_t count = (size_t)b->size * (size_t)b->size;
  clock_gettime(CLOCK_MONOTONIC, &from);
  if (mkdir(directory, 0777) != 0 && errno != EEXIST) fail(strerror(errno), directory);
  snprintf(path, sizeof path, "%s/step-%09d", directory, step);
  snprintf(part, sizeof part, "%s.part", path);
  FILE* file = fopen(part, "wb");
  if (!file) fail(strerror(errno), part);
  if (fwrite(MAGIC, sizeof MAGIC, 1, file) != 1 || fwrite(head, sizeof head, 1, file) != 1 ||
      fwrite(plate, sizeof(double), count, file) != count || fflush(file) != 0 || fsync(fileno(file)) != 0 ||
      fclose(file) != 0 || rename(part, path) != 0) {
    fail(strerror(errno), part);
  }
  clock_gettime(CLOCK_MONOTONIC, &to);
  report("checkpoint step=%d bytes=%zu seconds=%.3f path=%s\n", step, sizeof MAGIC + sizeof head + count * sizeof(double),
         (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9, path);
  printf("checkpoint step %d\n", step);
  fflush(stdout);
}

static void save(Block* b, int step, const char* directory) {
  double* plate = gather(b);
  if (b->rank == 0) write_checkpoint(b, plate, step, directory);
  free(plate);
}

/* Continues from the checkpoint that the platform names; returns its step, or 0 without one. */
static int resume(Block* b) {
  const char* path = getenv("GP_RESUME_FROM");
  const size_t count = (size_t)b->size * (size_t)b->size;
  double* plate = NULL;
  int64_t head[2] = {0, b->size};
  struct stat found;
  if (b->rank == 0 && path && stat(path, &found) == 0 && S_ISREG(found.st_mode)) {
    char magic[sizeof MAGIC];
    FILE* file = fopen(path, "rb");
    if (!file) fail(strerror(errno), path);
    if (fread(magic, sizeof magic, 1, file) != 1 || memcmp(magic, MAGIC, sizeof MAGIC) != 0) fail("no checkpoint of this program", path);
    if (fread(head, sizeof head, 1, file) != 1 || head[1] != b->size) fail("a checkpoint of another size", path);
    plate = malloc(count * sizeof(double));
    if (!plate || fread(plate, sizeof(double), count, file) != count) fail("the checkpoint is incomplete", path);
    fclose(file);
  }
  int step = (int)head[0];
  MPI_Bcast(&step, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (step > 0) scatter(b, plate);
  free(plate);
  return step;
}

static void write_field(const double* plate, int size, const char* path) {
  FILE* file = fopen(path, "w");
  if (!file) fail(strerror(errno), path);
  for (int y = 0; y < size; ++y) {
    for (int x = 0; x < size; ++x) fprintf(file, "%.6f%c", plate[(size_t)y * (size_t)size + (size_t)x], x + 1 < size ? ' ' : '\n');
  }
  if (fclose(file) != 0) fail(strerror(errno), path);
}

/* FNV-1a of all points. */
static uint64_t digest(const double* plate, int size) {
  const unsigned char* bytes = (const unsigned char*)plate;
  uint64_t sum = 14695981039346656037u;
  for (size_t i = 0; i < (size_t)size * (size_t)size * sizeof(double); ++i) sum = (sum ^ bytes[i]) * 1099511628211u;
  return sum;
}

static int number(const char* text, int least) {
  char* end;
  const long value = strtol(text, &end, 10);
  if (*text == '\0' || *end != '\0' || value < least || value > 1000000000) fail("not a number that can be meant", text);
  return (int)value;
}

static Options options_of(int argc, char** argv) {
  Options o = {.size = 512, .steps = 20000, .checkpoint_every = 2000, .tolerance = 1e-4};
  for (int i = 1; i < argc; i += 2) {
    const char* name = argv[i];
    const char* value = i + 1 < argc ? argv[i + 1] : "";
    if (strcmp(name, "--size") == 0) o.size = number(value, 3);
    else if (strcmp(name, "--steps") == 0) o.steps = number(value, 1);
    else if (strcmp(name, "--checkpoint-every") == 0) o.checkpoint_every = number(value, 1);
    else if (strcmp(name, "--pause-ms") == 0) o.pause_ms = number(value, 0);
    else if (strcmp(name, "--tolerance") == 0) o.tolerance = strtod(value, NULL);
    else if (strcmp(name, "--out") == 0) o.out = value;
    else fail("unknown option", name);
  }
  return o;
}

static void finish(Block* b, int step, double change, const Options* o) {
  double* plate = gather(b);
  if (b->rank == 0) {
    if (o->out) write_field(plate, b->size, o->out);
    printf("%d processes, %d steps, change %.3e, centre %.6f, digest %016llx\n", b->ranks, step, change,
           plate[(size_t)(b->size / 2) * (size_t)b->size + (size_t)(b->size / 2)], (unsigned long long)digest(plate, b->size));
    fflush(stdout);
  }
  free(plate);
}

int main(int argc, char** argv) {
  listen_for_requests(); /* first: until then the signal would kill */
  MPI_Init(&argc, &argv);
  const Options o = options_of(argc, argv);
  const char* directory = getenv("GP_CHECKPOINT_DIR");
  Block b = make_block(o.size);
  heat_edge(&b);
  int step = resume(&b), saved = step;
  double state[2] = {INFINITY, 0.0}; /* of all processes: the largest change, and whether one is asked for a checkpoint */
  if (b.rank == 0) {
    printf("%d x %d points on %d processes, from step %d\n", o.size, o.size, b.ranks, step);
    fflush(stdout);
  }
  while (step < o.steps && state[0] > o.tolerance) {
    const double change = advance(&b);
    if (++step % LOOK_EVERY != 0 && step != o.steps) continue;
    const double mine[2] = {change, is_asked};
    MPI_Allreduce(mine, state, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (b.rank == 0) report("progress step=%d of=%d\nmetric step=%d change=%.9g\n", step, o.steps, step, state[0]);
    if (directory && (state[1] > 0.0 || step - saved >= o.checkpoint_every)) {
      is_asked = 0;
      save(&b, step, directory);
      saved = step;
    }
    if (o.pause_ms > 0) nanosleep(&(struct timespec){o.pause_ms / 1000, o.pause_ms % 1000 * 1000000L}, NULL);
  }
  finish(&b, step, state[0], &o);
  free(b.now);
  free(b.next);
  MPI_Finalize();
  return 0;
}
