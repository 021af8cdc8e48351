// A power cut without one: preloaded into a process, it notes what each sync made durable.
//
// In the folder $BLOCKLDA_DURABLE a synced file has a copy of its content under the key of its
// inode, and a synced folder a list of its entries, "key name", after a first line with its path.
// What is not in there, a disk may lose when the power fails. Syncs themselves are left out, so
// nothing waits for a disk.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Inodes are used again when a file is gone; with the time of their birth they are unique.
static int key_of(int folder, const char *name, char *key, size_t size, int *is_folder) {
    struct statx found;
    int flags = name[0] ? AT_SYMLINK_NOFOLLOW : AT_EMPTY_PATH;
    if (statx(folder, name, flags, STATX_BASIC_STATS | STATX_BTIME, &found) != 0) return -1;
    *is_folder = S_ISDIR(found.stx_mode);
    snprintf(key, size, "%llu-%lld-%u", (unsigned long long)found.stx_ino,
             (long long)found.stx_btime.tv_sec, found.stx_btime.tv_nsec);
    return 0;
}

static int copy_content(int from, int to) {
    char buffer[1 << 16];
    off_t at = 0;
    ssize_t n;
    while ((n = pread(from, buffer, sizeof buffer, at)) > 0) {
        if (write(to, buffer, (size_t)n) != n) return -1;
        at += n;
    }
    return n < 0 ? -1 : 0;
}

static int list_entries(int folder, int to) {
    char path[PATH_MAX], link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return -1;
    path[length] = 0;
    dprintf(to, "%s\n", path);
    DIR *opened = opendir(path);
    if (opened == NULL) return -1;
    struct dirent *entry;
    while ((entry = readdir(opened)) != NULL) {
        char key[96];
        int is_folder;
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
        if (key_of(dirfd(opened), entry->d_name, key, sizeof key, &is_folder) == 0 && !is_folder)
            dprintf(to, "%s %s\n", key, entry->d_name);
    }
    closedir(opened);
    return 0;
}

// The descriptor may be open for writing only.
static int reopened(int handle) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", handle);
    return open(link, O_RDONLY | O_CLOEXEC);
}

static int note(int handle, const char *durable) {
    char key[96], aside[PATH_MAX + 64], place[PATH_MAX];
    int is_folder, result;
    if (key_of(handle, "", key, sizeof key, &is_folder) != 0) return -1;
    snprintf(place, sizeof place, "%s/%s", durable, key);
    // A process that is killed here has not synced: the note is there whole or not at all.
    snprintf(aside, sizeof aside, "%s.%d-%d.part", place, (int)getpid(), (int)gettid());
    int to = open(aside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    int from = reopened(handle);
    if (to < 0 || from < 0) result = -1;
    else result = is_folder ? list_entries(from, to) : copy_content(from, to);
    if (to >= 0) close(to);
    if (from >= 0) close(from);
    if (result == 0) {
        snprintf(place, sizeof place, "%s/%s%s", durable, is_folder ? "folder-" : "file-", key);
        result = rename(aside, place);
    }
    return result;
}

int fsync(int handle) {
    const char *durable = getenv("BLOCKLDA_DURABLE");
    if (durable == NULL) {
        int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
        return real == NULL ? (errno = ENOSYS, -1) : real(handle);
    }
    return note(handle, durable);
}

int fdatasync(int handle) { return fsync(handle); }
