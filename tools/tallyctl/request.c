// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "tallyctl.h"

#define SOCKET_NAME	"control.sock"

/* A running simulator answers at once; a stopped one never does. */
#define PATIENCE_S	10

/* Makes the socket's address: the given path, or the socket in the given folder. */
static int address(const struct options *opt, struct sockaddr_un *addr)
{
	const char *path = opt->control, *name = "";
	struct stat st;

	if (!path) {
		report_error("no simulator given: use --control or TALLY_CONTROL for its folder or "
			     "socket");
		return -1;
	}
	if (!stat(path, &st) && S_ISDIR(st.st_mode))
		name = "/" SOCKET_NAME;
	*addr = (struct sockaddr_un){ .sun_family = AF_UNIX };
	if ((size_t)snprintf(addr->sun_path, sizeof(addr->sun_path), "%s%s", path, name) <
	    sizeof(addr->sun_path))
		return 0;
	report_error("%s%s: path is too long for a socket", path, name);
	return -1;
}

static int open_socket(const struct sockaddr_un *addr)
{
	const struct timeval patience = { .tv_sec = PATIENCE_S };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd >= 0 && !setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) &&
	    !connect(fd, (const struct sockaddr *)addr, sizeof(*addr)))
		return fd;
	report_error("%s: %s%s", addr->sun_path, strerror(errno),
		     errno == ECONNREFUSED || errno == ENOENT ?
		     " (is a tallysim running there?)" : "");
	if (fd >= 0)
		close(fd);
	return -1;
}

static int send_line(int fd, const char *line)
{
	char *text;
	ssize_t sent;
	int len = asprintf(&text, "%s\n", line);

	if (len < 0)
		return -1;
	sent = send(fd, text, len, MSG_NOSIGNAL);
	free(text);
	return sent == len ? 0 : -1;
}

/* Receives until the connection ends; the caller frees the text. NULL: errno is set. */
static char *receive_all(int fd)
{
	char *text = NULL, *longer;
	size_t len = 0, room = 0;
	ssize_t n;

	do {
		if (room - len < 2) {
			room = 2 * room + 4096;
			longer = realloc(text, room);
			if (!longer) {
				free(text);
				return NULL;
			}
			text = longer;
		}
		n = recv(fd, text + len, room - len - 1, 0);
		if (n > 0)
			len += n;
	} while (n > 0 || (n < 0 && errno == EINTR));
	if (n < 0) {
		free(text);
		return NULL;
	}
	text[len] = '\0';
	return text;
}

static struct json_object *parse_answer(const char *path, const char *text)
{
	struct json_object *answer, *error;

	if (!*text) {
		report_error("%s: the simulator closed the connection without an answer", path);
		return NULL;
	}
	answer = json_tokener_parse(text);
	if (!json_object_is_type(answer, json_type_object)) {
		json_object_put(answer);
		report_error("%s: the server at this socket is not a tallysim", path);
		return NULL;
	}
	if (!json_object_object_get_ex(answer, "error", &error))
		return answer;
	report_error("%s", json_object_get_string(error));
	json_object_put(answer);
	return NULL;
}

struct json_object *ask(const struct options *opt, const char *request)
{
	struct json_object *answer;
	struct sockaddr_un addr;
	char *text = NULL;
	int fd;

	if (address(opt, &addr))
		return NULL;
	fd = open_socket(&addr);
	if (fd < 0)
		return NULL;
	if (!send_line(fd, request))
		text = receive_all(fd);
	if (!text)
		report_error("%s: %s", addr.sun_path, errno == EAGAIN ?
			     "no answer; the simulator is stopped" : strerror(errno));
	close(fd);
	answer = text ? parse_answer(addr.sun_path, text) : NULL;
	free(text);
	return answer;
}
