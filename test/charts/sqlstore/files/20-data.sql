INSERT INTO café VALUES (1, 'tab	and "quotes"');
