// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Events about the port and the whole device. They come from before ib_register_device() on, while
 * the core knows neither: what it would do then reaches into a device without ports, or outlives one
 * that could not be registered. So they are held back until the device is registered.
 */
#include "ib.h"

static void event_dispatch(struct tally_ibdev *dev, enum ib_event_type type)
{
	struct ib_event event = {
		.device = &dev->ibdev,
		.event = type,
		.element.port_num = 1,
	};

	ib_dispatch_event(&event);
}

static void event_dispatch_port(struct tally_ibdev *dev, bool up)
{
	event_dispatch(dev, up ? IB_EVENT_PORT_ACTIVE : IB_EVENT_PORT_ERR);
}

static void event_dispatch_fatal(struct tally_ibdev *dev)
{
	if (!dev->fatal_told)
		event_dispatch(dev, IB_EVENT_DEVICE_FATAL);
	dev->fatal_told = true;
}

void tally_ib_port_event(void *ctx, bool up)
{
	struct tally_ibdev *dev = ctx;
	unsigned long flags;

	spin_lock_irqsave(&dev->event_lock, flags);
	if (dev->registered)
		event_dispatch_port(dev, up);
	else
		dev->port_held = true;
	spin_unlock_irqrestore(&dev->event_lock, flags);
}

/* One that is held back needs no note: the device stays dead while its users live. */
void tally_ib_fatal_event(void *ctx)
{
	struct tally_ibdev *dev = ctx;
	unsigned long flags;

	spin_lock_irqsave(&dev->event_lock, flags);
	if (dev->registered)
		event_dispatch_fatal(dev);
	spin_unlock_irqrestore(&dev->event_lock, flags);
}

/* The ranks learn it from their work requests. */
void tally_ib_group_dead_event(void *ctx, u32 group, u64 status)
{
	struct tally_ibdev *dev = ctx;

	ibdev_dbg(&dev->ibdev, "group %u: epoch ended, collective status %llu\n", group, status);
}

/**
 * tally_ib_events_release() - Hold back no events any more, and tell what became of those held back.
 * @dev: device, just registered
 *
 * The core read the state of the port at some moment of its registration. So it is told the state
 * of now if that changed since events were asked for.
 */
void tally_ib_events_release(struct tally_ibdev *dev)
{
	unsigned long flags;

	tally_link_refresh(dev->tdev);
	spin_lock_irqsave(&dev->event_lock, flags);
	dev->registered = true;
	if (dev->port_held)
		event_dispatch_port(dev, READ_ONCE(dev->tdev->link_up));
	if (tally_is_dead(dev->tdev))
		event_dispatch_fatal(dev);
	spin_unlock_irqrestore(&dev->event_lock, flags);
}
