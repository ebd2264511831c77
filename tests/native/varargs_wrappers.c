// Wrappers over vprintf and vsnprintf, nested forwarding of va_list.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static char log_text[512];
static int lines;

static void vlog(const char *tag, const char *format, va_list ap) {
    size_t used = strlen(log_text);
    used += (size_t)snprintf(log_text + used, sizeof log_text - used, "[%s] ", tag);
    used += (size_t)vsnprintf(log_text + used, sizeof log_text - used, format, ap);
    snprintf(log_text + used, sizeof log_text - used, ";");
    lines++;
}

static void info(const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    vlog("info", format, ap);
    va_end(ap);
}

static int say(const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    int n = vprintf(format, ap);
    va_end(ap);
    return n;
}

static int measure(const char *format, ...) {
    va_list a, b;
    va_start(a, format);
    va_copy(b, a);
    int need = vsnprintf(NULL, 0, format, a);
    char small[8];
    vsnprintf(small, sizeof small, format, b);
    va_end(a);
    va_end(b);
    say("%d:%s\n", need, small);
    return need;
}

int main(void) {
    info("start %d", 1);
    info("%s has %u items of %.2f", "basket", 3u, 1.5);
    info("plain");
    puts(log_text);
    int n = say("%d-%s-%c-%5.1f\n", 42, "text", 'q', 2.25);
    n += measure("%d+%d=%d", 123456, 654321, 123456 + 654321);
    n += measure("%s", "");
    n += measure("%lld %x", -1LL, 255u);
    printf("%d %d\n", n, lines);
    return n;
}
