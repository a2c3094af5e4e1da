// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Events of the port and of the whole device. They may arrive before ib_register_device() has
 * finished. If the core dispatched one then, it could access a device without ports, or one whose
 * registration fails. Therefore the driver holds these events back until the device is registered.
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

/*
 * A fatal event that is held back is not recorded, because the device stays dead while it has
 * users.
 */
void tally_ib_fatal_event(void *ctx)
{
	struct tally_ibdev *dev = ctx;
	unsigned long flags;

	spin_lock_irqsave(&dev->event_lock, flags);
	if (dev->registered)
		event_dispatch_fatal(dev);
	spin_unlock_irqrestore(&dev->event_lock, flags);
}

/* Only for the log: the ranks learn of the end of the epoch from their work requests. */
void tally_ib_group_dead_event(void *ctx, u32 group, u64 status)
{
	struct tally_ibdev *dev = ctx;

	ibdev_dbg(&dev->ibdev, "group %u: epoch ended, collective status %llu\n", group, status);
}

/**
 * tally_ib_events_release() - Stop holding back events, and dispatch those that were held back.
 * @dev: device that was just registered
 *
 * The core has read the state of the port at some time during the registration. Therefore this
 * reports the current state if it has changed since the driver registered for events.
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
